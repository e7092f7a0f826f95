/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * writers.c - many writers at one channel
 *
 * Each puts a message of 64 B and gets the newest, over and over, for a while.
 * Once each put and get is timed by itself, and once nothing but their number
 * counts. Beside it stands what the system offers for the same: a mutex that
 * survives its owner's death and lends it priority, around a copy of 64 B.
 */
#include <string.h>
#include <unistd.h>

#include "scaling.h"
#include "ticks.h"

#define WINDOW_US 40000u
#define TIMED_MAX 4096u

static const unsigned counts[] = {1, 2, 4, 8};

/* What the writers do. */
enum way { TIMED, COUNTED, FLOOR };

struct shared {
    uint32_t go;
    pthread_mutex_t mutex APART;
    unsigned char bytes[MESSAGE_SIZE] APART;
    struct times {
        double put[TIMED_MAX], get[TIMED_MAX];
        unsigned count;
    } times[CROWD_MAX];
};

struct writers {
    struct crowd crowd; /* first: the processes get a pointer to it */
    enum way way;
    struct shared *shared;
};

static void floor_pair(struct user *w, struct shared *s)
{
    MUST(pthread_mutex_lock(&s->mutex) == 0);
    memcpy(s->bytes, w->message, sizeof(s->bytes));
    pthread_mutex_unlock(&s->mutex);
    memcpy(w->message, s->bytes, sizeof(s->bytes));
    memory_changes();
}

/* In groups if the counter is too coarse for one. The later ones take the earlier ones' place. */
static void timed_pair(struct user *w, struct times *t)
{
    unsigned group = ticks_group(), place = t->count++ % TIMED_MAX;
    uint64_t start = ticks(), middle;

    user_put(w, group);
    middle = ticks();
    user_get_last(w, group);
    t->get[place] = ticks_to_ns(middle, ticks()) / group;
    t->put[place] = ticks_to_ns(start, middle) / group;
}

static void writer_main(void *arg)
{
    struct writers *all = arg;
    struct crowd *c = &all->crowd;
    unsigned index = c->shared->index;
    struct user w = {0};
    uint64_t count = 0;

    machine_unpin();
    channel_open(&w.chan, c->channel, false, 0);
    peer_ready();
    while (!__atomic_load_n(&all->shared->go, __ATOMIC_ACQUIRE))
        usleep(100);
    for (; !crowd_stopped(c); count++) {
        if (all->way == TIMED) {
            timed_pair(&w, &all->shared->times[index]);
        } else if (all->way == COUNTED) {
            user_put(&w, 1);
            user_get_last(&w, 1);
        } else {
            floor_pair(&w, all->shared);
        }
    }
    c->shared->member[index].count = count;
    ach_close(&w.chan);
}

/* Let them write for a while. Returns how many pairs they did in a second. */
static double run_window(struct writers *all, enum way way, unsigned writers)
{
    double seconds, pairs = 0;
    uint64_t start;
    unsigned i;

    all->way = way;
    all->shared->go = 0;
    for (i = 0; i < writers; i++)
        all->shared->times[i].count = 0;
    crowd_start(&all->crowd, writers, writer_main);
    start = clock_ns();
    __atomic_store_n(&all->shared->go, 1, __ATOMIC_RELEASE);
    usleep(WINDOW_US);
    seconds = (double)(clock_ns() - start) / 1e9;
    crowd_stop(&all->crowd);
    for (i = 0; i < writers; i++)
        pairs += (double)all->crowd.shared->member[i].count;
    return pairs / seconds;
}

static void measure_times(const struct group *g, struct writers *all, unsigned n, unsigned round)
{
    struct samples put = {0}, get = {0};
    unsigned i, j;

    run_window(all, TIMED, n);
    for (i = 0; i < n; i++) {
        const struct times *t = &all->shared->times[i];

        for (j = 0; j < t->count && j < TIMED_MAX; j++) {
            samples_add(&put, t->put[j]);
            samples_add(&get, t->get[j]);
        }
    }
    row_value(g, "put, 99 of 100", n, round, samples_quantile(&put, 0.99));
    row_value(g, "put", n, round, samples_median(&put));
    row_value(g, "get LAST", n, round, samples_median(&get));
}

/* g->what: their rates instead of times. */
void writers_measure(const struct group *g, unsigned round)
{
    static struct writers all;
    unsigned i;

    all.shared = shared_alloc(sizeof(*all.shared));
    mutex_init(&all.shared->mutex, true);
    crowd_init(&all.crowd, "writers");
    for (i = 0; i < ARRAY_SIZE(counts); i++) {
        unsigned n = counts[i];

        if (!g->what) {
            measure_times(g, &all, n, round);
            continue;
        }
        row_value(g, "channel", n, round, run_window(&all, COUNTED, n));
        row_value(g, "robust PI mutex + memcpy", n, round, run_window(&all, FLOOR, n));
    }
    note("The writers share %d CPUs.", bench.machine.cpus);
}
