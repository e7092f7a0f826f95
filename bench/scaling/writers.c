/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * writers.c - many writers at one channel
 *
 * Each puts a message of 64 B and gets the newest, over and over, for a while.
 * Once each put and get is timed by itself, and once nothing but their number
 * counts. Beside it stands what the system offers for the same: a mutex that
 * survives its owner's death and lends it priority, around a copy of 64 B.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scaling.h"
#include "ticks.h"

#define WINDOW_US 40000u
#define TIMED_MAX 4096u

static const unsigned counts[] = {1, 2, 4, 8};

/* What one writer timed. */
struct times {
    double put[TIMED_MAX], get[TIMED_MAX];
    unsigned count;
};

/* What the writers do. */
enum way { TIMED, COUNTED, FLOOR };

struct place {
    pthread_mutex_t mutex APART;
    unsigned char bytes[MESSAGE_SIZE] APART;
};

struct writers {
    struct crowd crowd; /* first: the processes get a pointer to it */
    enum way way;
    struct times *times; /* shared, as is place */
    struct place *place;
};

static void floor_pair(struct user *w, struct place *p)
{
    MUST(pthread_mutex_lock(&p->mutex) == 0);
    memcpy(p->bytes, w->message, sizeof(p->bytes));
    pthread_mutex_unlock(&p->mutex);
    memcpy(w->message, p->bytes, sizeof(p->bytes));
    __asm__ volatile("" : : : "memory");
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

    MUST_SYS(sched_setaffinity(0, sizeof(bench.machine.all), &bench.machine.all) == 0);
    channel_open(&w.chan, c->channel, false, 0);
    peer_ready();
    while (!__atomic_load_n(&c->shared->go, __ATOMIC_ACQUIRE))
        usleep(100);
    for (; !crowd_stopped(c); count++) {
        if (all->way == TIMED) {
            timed_pair(&w, &all->times[index]);
        } else if (all->way == COUNTED) {
            user_put(&w, 1);
            user_get_last(&w, 1);
        } else {
            floor_pair(&w, all->place);
        }
    }
    c->shared->member[index].count = count;
    ach_close(&w.chan);
}

/* Let them write for a while. Returns how many seconds it was. */
static double run_window(struct writers *all, enum way way, unsigned writers)
{
    struct crowd *c = &all->crowd;
    uint64_t start;
    double seconds;

    all->way = way;
    memset(all->times, 0, writers * sizeof(*all->times));
    crowd_start(c, writers, writer_main);
    start = clock_ns();
    __atomic_store_n(&c->shared->go, 1, __ATOMIC_RELEASE);
    usleep(WINDOW_US);
    seconds = (double)(clock_ns() - start) / 1e9;
    crowd_stop(c);
    return seconds;
}

static void measure_times(const struct group *g, struct writers *all, unsigned n, unsigned round)
{
    struct samples put = {0}, get = {0};
    unsigned i, j;

    run_window(all, TIMED, n);
    for (i = 0; i < n; i++) {
        const struct times *t = &all->times[i];

        for (j = 0; j < t->count && j < TIMED_MAX; j++) {
            samples_add(&put, t->put[j]);
            samples_add(&get, t->get[j]);
        }
    }
    row_value(g, "put, 99 of 100", n, round, samples_quantile(&put, 0.99));
    row_value(g, "put", n, round, samples_median(&put));
    row_value(g, "get LAST", n, round, samples_median(&get));
}

static double measure_rate(struct writers *all, enum way way, unsigned writers)
{
    double seconds = run_window(all, way, writers), pairs = 0;
    unsigned i;

    for (i = 0; i < writers; i++)
        pairs += (double)all->crowd.shared->member[i].count;
    return pairs / seconds;
}

static void writers_init(struct writers *all)
{
    *all = (struct writers){.times = shared_alloc(CROWD_MAX * sizeof(struct times)),
                            .place = shared_alloc(sizeof(struct place))};
    mutex_init(&all->place->mutex, true);
    crowd_init(&all->crowd, "writers", NULL);
}

static void writers_finish(struct writers *all)
{
    crowd_finish(&all->crowd, NULL);
    shared_free(all->times, CROWD_MAX * sizeof(struct times));
    shared_free(all->place, sizeof(*all->place));
}

void writers_measure(const struct group *g)
{
    struct writers all;
    unsigned round, i;

    writers_init(&all);
    for (round = 0; round < rounds_of(g); round++) {
        progress("writers: round %u", round + 1);
        for (i = 0; i < ARRAY_SIZE(counts); i++)
            measure_times(g, &all, counts[i], round);
    }
    writers_finish(&all);
    note("The writers share %d CPUs.", bench.machine.cpus);
}

void throughput_measure(const struct group *g)
{
    struct writers all;
    unsigned round, i;

    writers_init(&all);
    for (round = 0; round < rounds_of(g); round++) {
        progress("throughput: round %u", round + 1);
        for (i = 0; i < ARRAY_SIZE(counts); i++) {
            row_value(g, "channel", counts[i], round, measure_rate(&all, COUNTED, counts[i]));
            row_value(g, "robust PI mutex + memcpy", counts[i], round,
                      measure_rate(&all, FLOOR, counts[i]));
        }
    }
    writers_finish(&all);
}
