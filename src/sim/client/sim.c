/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.c - time for controllers, real or simulated: the public functions */
#include <ach/sim.h>
#include <errno.h>
#include <string.h>

#include "../../libach/period.h"
#include "client.h"

#define NS_PER_S 1000000000ll

bool ach_sim_active(void)
{
    if (!simc_active())
        return false;
    simc_hello(0, NULL, NULL);
    return true;
}

static int64_t real_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t ach_sim_now(void)
{
    return simc_active() ? simc_now() : real_now();
}

static void real_sleep(int64_t time)
{
    const struct timespec t = {.tv_sec = (time_t)(time / NS_PER_S),
                               .tv_nsec = (long)(time % NS_PER_S)};

    while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0 &&
           errno == EINTR)
        ;
}

ach_status_t ach_sim_sleep_until(int64_t time)
{
    ach_status_t r;
    bool timed;

    if (!simc_active()) {
        if (time > 0)
            real_sleep(time);
        return ACH_OK;
    }
    do
        r = simc_wait(time, NULL, 0, simc_posts(), &timed);
    while (r == ACH_OK && !timed);
    simc_cycle();
    return r;
}

int64_t achi_period_now(void)
{
    return ach_sim_now();
}

enum ach_status achi_period_wait_until(int64_t time, uint64_t spin)
{
    (void)spin;
    return ach_sim_sleep_until(time);
}
