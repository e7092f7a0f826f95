/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#define MEASURE_NS 1000000000
#define ATTEMPTS 3

int64_t feed_clock_now(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The wall clock is read between two readings of the other one; the closest two count. */
static int64_t clock_measure(clockid_t clock)
{
    int64_t best = INT64_MAX, offset = 0;
    int i;

    for (i = 0; i < ATTEMPTS; i++) {
        int64_t before = feed_clock_now(clock), wall = feed_clock_now(CLOCK_REALTIME);
        int64_t apart = feed_clock_now(clock) - before;

        if (apart < best) {
            best = apart;
            offset = wall - before - apart / 2;
        }
    }
    return offset;
}

static struct feed_clock *clock_find(struct feed_clocks *c, clockid_t clock)
{
    size_t i;

    for (i = 0; i < c->n; i++)
        if (c->clocks[i].id == clock)
            return &c->clocks[i];
    i = c->n < FEED_CLOCKS_MAX ? c->n++ : FEED_CLOCKS_MAX - 1;
    c->clocks[i] = (struct feed_clock){.id = clock, .measured = INT64_MIN};
    return &c->clocks[i];
}

int64_t feed_clock_offset(struct feed_clocks *c, clockid_t clock, int64_t now)
{
    struct feed_clock *found;

    if (clock == CLOCK_REALTIME)
        return 0;
    found = clock_find(c, clock);
    if (found->measured == INT64_MIN || now - found->measured >= MEASURE_NS) {
        found->offset = clock_measure(clock);
        found->measured = now;
    }
    return found->offset;
}
