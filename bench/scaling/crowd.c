/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.c - many processes at one channel */
#include <string.h>

#include "scaling.h"
#include "ticks.h"

#define BATCH 500u
#define BATCHES 41u /* in which the readers ran */
#define TRIES 1000u

void crowd_init(struct crowd *c, const char *channel)
{
    *c = (struct crowd){.channel = channel, .shared = shared_alloc(sizeof(*c->shared))};
    channel_make(channel, ACH_DEFAULT_FRAME_COUNT, ACH_DEFAULT_FRAME_SIZE, false);
    channel_open(&c->user.chan, channel, false, 0);
}

void crowd_start(struct crowd *c, unsigned n, void (*fun)(void *crowd))
{
    MUST(n <= CROWD_MAX);
    memset(c->shared, 0, sizeof(*c->shared));
    for (c->count = 0; c->count < n; c->count++) {
        c->shared->index = c->count;
        c->pid[c->count] = peer_start(fun, c);
    }
}

void crowd_stop(struct crowd *c)
{
    __atomic_store_n(&c->shared->stop, 1, __ATOMIC_RELEASE);
    while (c->count > 0)
        peer_join(c->pid[--c->count]);
}

bool crowd_stopped(const struct crowd *c)
{
    return __atomic_load_n(&c->shared->stop, __ATOMIC_ACQUIRE) != 0;
}

void crowd_get(struct crowd *c, int options)
{
    uint64_t *count = &c->shared->member[c->shared->index].count;
    cpu_set_t set = bench.machine.all;
    struct user u;
    size_t size;

    if (bench.machine.main_cpu >= 0)
        CPU_CLR(bench.machine.main_cpu, &set);
    MUST_SYS(sched_setaffinity(0, sizeof(set), &set) == 0);
    channel_open(&u.chan, c->channel, false, 0);
    peer_ready();
    while (!crowd_stopped(c)) {
        enum ach_status r =
            ach_get(&u.chan, u.message, sizeof(u.message), &size, NULL, ACH_O_LAST | options);

        if (r == ACH_EAGAIN) {
            relax();
            continue;
        }
        MUST_ACH(r);
        __atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
    }
    ach_close(&u.chan);
}

void crowd_poll(void *crowd)
{
    crowd_get(crowd, 0);
}

static uint64_t messages_got(const struct crowd *c)
{
    uint64_t sum = 0;
    unsigned i;

    for (i = 0; i < c->count; i++)
        sum += __atomic_load_n(&c->shared->member[i].count, __ATOMIC_RELAXED);
    return sum;
}

double crowd_polled_ns(struct crowd *c, unsigned n)
{
    double ns[TRIES];
    uint64_t got[TRIES], best = 0;
    unsigned i, tries, ran = 0;
    struct samples samples = {0};

    crowd_start(c, n, crowd_poll);
    user_put(&c->user, BATCH);
    for (tries = 0; tries < TRIES && ran < BATCHES; tries++) {
        uint64_t before = messages_got(c), start = ticks();

        user_put(&c->user, BATCH);
        ns[tries] = ticks_to_ns(start, ticks()) / BATCH;
        got[tries] = messages_got(c) - before;
        best = got[tries] > best ? got[tries] : best;
        ran += n == 0 || got[tries] > 0;
    }
    crowd_stop(c);
    for (i = 0; ran && i < tries; i++)
        if (2 * got[i] >= best)
            samples_add(&samples, ns[i]);
    return samples_median(&samples);
}
