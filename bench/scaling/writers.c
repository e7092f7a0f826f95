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

#include "crowd.h"
#include "ticks.h"

#define WINDOW_US 40000u
#define TIMED_MAX 4096u

static const unsigned counts[] = {1, 2, 4, 8};

static const struct curve about_time = {
    .name = "writers",
    .title = "Put and get LAST of 64 B while others do the same",
    .x_label = "writers",
    .y_label = "ns, median",
};

static const struct curve about_rate = {
    .name = "throughput",
    .title = "Pairs of put and get LAST, all writers together",
    .x_label = "writers",
    .y_label = "pairs per second",
};

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

struct worker {
    ach_channel_t chan;
    unsigned char message[MESSAGE_SIZE];
    uint64_t count;
};

static void put_one(struct worker *w)
{
    MUST_ACH(ach_put(&w->chan, w->message, sizeof(w->message)));
}

static void get_one(struct worker *w)
{
    size_t size;

    MUST_ACH(
        ach_get(&w->chan, w->message, sizeof(w->message), &size, NULL, ACH_O_LAST | ACH_O_COPY));
}

static void pair(struct worker *w)
{
    put_one(w);
    get_one(w);
    w->count++;
}

static void floor_pair(struct worker *w, struct place *p)
{
    MUST(pthread_mutex_lock(&p->mutex) == 0);
    memcpy(p->bytes, w->message, sizeof(p->bytes));
    pthread_mutex_unlock(&p->mutex);
    memcpy(w->message, p->bytes, sizeof(p->bytes));
    __asm__ volatile("" : : : "memory");
    w->count++;
}

/* In groups if the counter is too coarse for one. The later ones take the earlier ones' place. */
static void timed_pair(struct worker *w, struct times *t)
{
    unsigned i, group = ticks_group(), place = t->count++ % TIMED_MAX;
    uint64_t start = ticks(), middle;

    for (i = 0; i < group; i++)
        put_one(w);
    middle = ticks();
    for (i = 0; i < group; i++)
        get_one(w);
    t->get[place] = ticks_to_ns(middle, ticks()) / group;
    t->put[place] = ticks_to_ns(start, middle) / group;
}

static void writer_main(void *arg)
{
    struct writers *all = arg;
    struct crowd *c = &all->crowd;
    unsigned index = c->shared->index;
    struct worker w = {0};

    MUST_SYS(sched_setaffinity(0, sizeof(c->scaling->cpus), &c->scaling->cpus) == 0);
    channel_open(&w.chan, c->channel, false, 0);
    peer_ready();
    while (!__atomic_load_n(&c->shared->go, __ATOMIC_ACQUIRE))
        usleep(100);
    while (!crowd_stopped(c)) {
        if (all->way == TIMED)
            timed_pair(&w, &all->times[index]);
        else if (all->way == COUNTED)
            pair(&w);
        else
            floor_pair(&w, all->place);
    }
    c->shared->member[index].count = w.count;
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

static void measure_times(struct writers *all, struct curve *c, unsigned writers)
{
    struct samples put = {0}, get = {0};
    unsigned i, j;

    run_window(all, TIMED, writers);
    for (i = 0; i < writers; i++) {
        const struct times *t = &all->times[i];

        for (j = 0; j < t->count && j < TIMED_MAX; j++) {
            samples_add(&put, t->put[j]);
            samples_add(&get, t->get[j]);
        }
    }
    curve_sample(c, "put", writers, samples_quantile(&put, 0.5));
    curve_sample(c, "get LAST", writers, samples_quantile(&get, 0.5));
    curve_sample(c, "put, 99 of 100", writers, samples_quantile(&put, 0.99));
    samples_finish(&put);
    samples_finish(&get);
}

static double measure_rate(struct writers *all, enum way way, unsigned writers)
{
    double seconds = run_window(all, way, writers), pairs = 0;
    unsigned i;

    for (i = 0; i < writers; i++)
        pairs += (double)all->crowd.shared->member[i].count;
    return pairs / seconds;
}

static struct place *place_create(void)
{
    struct place *p = shared_alloc(sizeof(*p));
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    MUST(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    MUST(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    MUST(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    MUST(pthread_mutex_init(&p->mutex, &attr) == 0);
    pthread_mutexattr_destroy(&attr);
    return p;
}

void writers_part(struct scaling *s)
{
    struct curve *time = scaling_curve(s, &about_time), *rate = scaling_curve(s, &about_rate);
    size_t size = CROWD_MAX * sizeof(struct times);
    struct writers all = {.times = shared_alloc(size), .place = place_create()};
    unsigned round, i;

    channel_make("writers", ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, false);
    crowd_init(&all.crowd, s, "writers");
    for (round = 0; round < s->rounds; round++) {
        scaling_progress(s, "writers", round);
        for (i = 0; i < ARRAY_SIZE(counts); i++) {
            measure_times(&all, time, counts[i]);
            curve_sample(rate, "channel", counts[i], measure_rate(&all, COUNTED, counts[i]));
            curve_sample(rate, "robust PI mutex + memcpy", counts[i],
                         measure_rate(&all, FLOOR, counts[i]));
        }
    }
    scaling_note(s, "The writers share %d CPUs.", s->machine.cpus);
    crowd_finish(&all.crowd);
    shared_free(all.times, size);
    shared_free(all.place, sizeof(*all.place));
    ach_unlink("writers");
}
