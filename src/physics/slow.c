/* SPDX-License-Identifier: BSD-3-Clause */
#include "slow.h"

#include <time.h>

/* A sleep takes about so long anyway; shorter ones are put together. */
#define SHORTEST 50000

void achi_slow_read(struct achi_slow *s, ach_section_t *options)
{
    s->factor = ach_section_double(options, "slow", 0);
    s->uneven = ach_section_bool(options, "uneven", false);
    s->burn = ach_section_bool(options, "burn", false);
    if (!(s->factor >= 0 && s->factor <= 1e6))
        ach_section_refuse(options, "slow", 0, "seconds of wall time, from 0 to 1e6");
}

/* From 0 to 1: xorshift, so that each run takes the same times. */
static double chance(uint64_t *state)
{
    uint64_t x = *state ? *state : 0x9e3779b97f4a7c15u;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return (double)(x >> 11) * 0x1p-53;
}

static int64_t wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_for(int64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

void achi_slow_down(struct achi_slow *s, int64_t step)
{
    double share = s->uneven ? 2 * chance(&s->random) : 1;
    int64_t start;

    if (!(s->factor > 0))
        return;
    s->owed += (int64_t)(s->factor * share * (double)step);
    if (s->owed < SHORTEST)
        return;
    start = wall();
    if (s->burn)
        while (wall() - start < s->owed)
            ;
    else
        sleep_for(s->owed);
    s->owed -= wall() - start;
}
