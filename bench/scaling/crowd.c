/* SPDX-License-Identifier: BSD-3-Clause */
#include "crowd.h"

#include <stdlib.h>
#include <string.h>

#include "ticks.h"

#define BATCH 500u
#define BATCHES 41u /* in which the readers ran */
#define TRIES 1000u

void crowd_init(struct crowd *c, const struct scaling *s, const char *channel)
{
    memset(c, 0, sizeof(*c));
    c->scaling = s;
    c->channel = channel;
    c->shared = shared_alloc(sizeof(*c->shared));
}

void crowd_finish(struct crowd *c)
{
    shared_free(c->shared, sizeof(*c->shared));
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
    unsigned i;

    __atomic_store_n(&c->shared->stop, 1, __ATOMIC_RELEASE);
    for (i = 0; i < c->count; i++)
        peer_join(c->pid[i]);
    c->count = 0;
}

void crowd_stand_aside(const struct crowd *c)
{
    cpu_set_t set = c->scaling->cpus;

    if (c->scaling->machine.main_cpu >= 0)
        CPU_CLR(c->scaling->machine.main_cpu, &set);
    MUST_SYS(sched_setaffinity(0, sizeof(set), &set) == 0);
}

void writer_put(void *writer, unsigned n)
{
    struct writer *w = writer;

    while (n--)
        if (ach_put(&w->chan, w->message, sizeof(w->message)) != ACH_OK)
            abort();
}

void crowd_poll(void *crowd)
{
    struct crowd *c = crowd;
    struct member *self = &c->shared->member[c->shared->index];
    unsigned char message[MESSAGE_SIZE];
    ach_channel_t chan;
    size_t size;

    crowd_stand_aside(c);
    channel_open(&chan, c->channel, false, 0);
    peer_ready();
    while (!crowd_stopped(c)) {
        enum ach_status r = ach_get(&chan, message, sizeof(message), &size, NULL, ACH_O_LAST);

        if (r == ACH_EAGAIN) {
            relax();
            continue;
        }
        MUST_ACH(r);
        __atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELAXED);
    }
    ach_close(&chan);
}

static uint64_t messages_got(const struct crowd *c)
{
    uint64_t sum = 0;
    unsigned i;

    for (i = 0; i < c->count; i++)
        sum += __atomic_load_n(&c->shared->member[i].count, __ATOMIC_RELAXED);
    return sum;
}

double crowd_polled_ns(struct crowd *c, struct writer *w, unsigned n)
{
    double ns[TRIES], p50;
    uint64_t got[TRIES], best = 0;
    unsigned i, tries, ran = 0;
    struct samples samples = {0};

    crowd_start(c, n, crowd_poll);
    writer_put(w, BATCH);
    for (tries = 0; tries < TRIES && ran < BATCHES; tries++) {
        uint64_t before = messages_got(c), start = ticks();

        writer_put(w, BATCH);
        ns[tries] = ticks_to_ns(start, ticks()) / BATCH;
        got[tries] = messages_got(c) - before;
        best = got[tries] > best ? got[tries] : best;
        ran += n == 0 || got[tries] > 0;
    }
    crowd_stop(c);
    for (i = 0; ran && i < tries; i++)
        if (2 * got[i] >= best)
            samples_add(&samples, ns[i]);
    p50 = samples_quantile(&samples, 0.5);
    samples_finish(&samples);
    return p50;
}
