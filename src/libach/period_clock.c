/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * period_clock.c - periods on CLOCK_MONOTONIC
 *
 * In a program that also has libachsim, or its preload library, and is part of
 * a simulation, periods run on the simulation's time.
 */
#include <errno.h>

#include "clock.h"
#include "period.h"
#include "spin.h"

/* NULL without libachsim. */
__attribute__((weak)) extern int64_t ach_sim_now(void);
__attribute__((weak)) extern enum ach_status ach_sim_sleep_until(int64_t time);

int64_t achi_period_now(void)
{
    struct timespec t;

    if (ach_sim_now)
        return ach_sim_now();
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * ACHI_NS_PER_S + t.tv_nsec;
}

static void sleep_until(int64_t time)
{
    const struct timespec t = {.tv_sec = (time_t)(time / ACHI_NS_PER_S),
                               .tv_nsec = (long)(time % ACHI_NS_PER_S)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

enum ach_status achi_period_wait_until(int64_t time, uint64_t spin)
{
    unsigned slack;

    if (ach_sim_sleep_until)
        return ach_sim_sleep_until(time);
    slack = spin ? achi_slack_remove() : 0;
    sleep_until(time - (int64_t)spin);
    if (spin)
        achi_slack_restore(slack);
    while (spin && achi_period_now() < time)
        achi_relax();
    return ACH_OK;
}
