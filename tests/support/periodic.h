/* SPDX-License-Identifier: BSD-3-Clause */
/* periodic.h - a sender of periodic messages */
#ifndef TEST_PERIODIC_H
#define TEST_PERIODIC_H

#include "check.h"

/* Put the numbers from 1 to n into the channel, one each period. */
static inline void put_periodically(const char *name, uint64_t n, long period_ns)
{
    struct timespec next;
    ach_channel_t chan;
    uint64_t number;

    REQUIRE_OK(ach_open(&chan, name, NULL));
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (number = 1; number <= n; number++) {
        next.tv_nsec += period_ns;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        CHECK_OK(ach_put(&chan, &number, sizeof(number)));
    }
    CHECK_OK(ach_close(&chan));
}

#endif
