/* SPDX-License-Identifier: BSD-3-Clause */
#include "slow.h"
#include "../util/monotonic.h"

#include <time.h>

/* Shortest sleep, ns: a sleep takes about this long anyway, so shorter delays accumulate. */
#define SHORTEST 50000

void phys_slow_read(struct phys_slow *s, ach_section_t *options)
{
    s->factor = ach_section_double(options, "slow", 0);
    s->uneven = ach_section_bool(options, "uneven", false);
    s->burn = ach_section_bool(options, "burn", false);
    if (!(s->factor >= 0 && s->factor <= 1e6))
        ach_section_refuse(options, "slow", 0, "seconds of wall time, from 0 to 1e6");
}

/* A number from 0 to 1, by xorshift with a fixed seed: each run has the same delays. */
static double slow_chance(uint64_t *state)
{
    uint64_t x = *state ? *state : 0x9e3779b97f4a7c15u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (double)(x >> 11) * 0x1p-53;
}

static void sleep_for(int64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

void phys_slow_down(struct phys_slow *s, int64_t step)
{
    double share = s->uneven ? 2 * slow_chance(&s->random) : 1;
    int64_t start;

    if (!(s->factor > 0))
        return;
    s->owed += (int64_t)(s->factor * share * (double)step);
    if (s->owed < SHORTEST)
        return;
    start = monotonic_ns();
    if (s->burn)
        while (monotonic_ns() - start < s->owed)
            ;
    else
        sleep_for(s->owed);
    s->owed -= monotonic_ns() - start;
}
