/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - what time it is */
#include <errno.h>
#include <sys/timeb.h>
#include <unistd.h>

#include "preload.h"

#define NS_PER_US 1000
#define NS_PER_MS 1000000

int64_t achi_ns(const struct timespec *t)
{
    int64_t ns;

    if (__builtin_mul_overflow((int64_t)t->tv_sec, NS_PER_S, &ns) ||
        __builtin_add_overflow(ns, (int64_t)t->tv_nsec, &ns))
        return t->tv_sec < 0 ? INT64_MIN : ACHI_SIM_NEVER;
    return ns;
}

struct timespec achi_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

int64_t achi_after(int64_t time, int64_t ns)
{
    int64_t sum;

    return __builtin_add_overflow(time, ns, &sum) ? ACHI_SIM_NEVER : sum;
}

static bool counts_from_1970(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

bool achi_clock_virtual(clockid_t clock)
{
    return counts_from_1970(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_BOOTTIME_ALARM;
}

int64_t achi_clock_now(clockid_t clock)
{
    return achi_sim_now() + (counts_from_1970(clock) ? achi_sim_epoch() : 0);
}

int64_t achi_clock_point(clockid_t clock, const struct timespec *t)
{
    int64_t ns = achi_ns(t);

    if (!counts_from_1970(clock) || ns == ACHI_SIM_NEVER)
        return ns;
    return ns < INT64_MIN + achi_sim_epoch() ? INT64_MIN : ns - achi_sim_epoch();
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!achi_sim_active() || !achi_clock_virtual(clock))
        return REAL(clock_gettime)(clock, t);
    *t = achi_timespec(achi_clock_now(clock));
    return 0;
}

EXPORT int __clock_gettime(clockid_t clock, struct timespec *t);

EXPORT int __clock_gettime(clockid_t clock, struct timespec *t)
{
    return clock_gettime(clock, t);
}

/* All clocks of a simulation are exact. */
EXPORT int clock_getres(clockid_t clock, struct timespec *t)
{
    if (!achi_sim_active() || !achi_clock_virtual(clock))
        return REAL(clock_getres)(clock, t);
    if (t)
        *t = (struct timespec){.tv_nsec = 1};
    return 0;
}

/* Time in a simulation is not for its controllers to set. */
EXPORT int clock_settime(clockid_t clock, const struct timespec *t)
{
    if (!achi_sim_active() || !achi_clock_virtual(clock))
        return REAL(clock_settime)(clock, t);
    errno = EPERM;
    return -1;
}

EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;

    if (!achi_sim_active())
        return REAL(gettimeofday)(t, zone);
    now = achi_timespec(achi_clock_now(CLOCK_REALTIME));
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / NS_PER_US;
    return 0;
}

EXPORT time_t time(time_t *t)
{
    time_t now;

    if (!achi_sim_active())
        return REAL(time)(t);
    now = (time_t)(achi_clock_now(CLOCK_REALTIME) / NS_PER_S);
    if (t)
        *t = now;
    return now;
}

EXPORT int timespec_get(struct timespec *t, int base)
{
    if (!achi_sim_active() || base != TIME_UTC)
        return REAL(timespec_get)(t, base);
    *t = achi_timespec(achi_clock_now(CLOCK_REALTIME));
    return base;
}

/* Its declaration says that it is deprecated; those who call it are old. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

EXPORT int ftime(struct timeb *t)
{
    struct timespec now;

    if (!achi_sim_active())
        return REAL(ftime)(t);
    now = achi_timespec(achi_clock_now(CLOCK_REALTIME));
    *t = (struct timeb){.time = now.tv_sec, .millitm = (unsigned short)(now.tv_nsec / NS_PER_MS)};
    return 0;
}
