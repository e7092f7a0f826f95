/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - what time it is */
#include <errno.h>
#include <sys/sysinfo.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <unistd.h>

#include "preload.h"
#include "refuse.h"

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

/* All clocks of a simulation are exact. */
EXPORT int clock_getres(clockid_t clock, struct timespec *t)
{
    if (!achi_sim_active() || !achi_clock_virtual(clock))
        return REAL(clock_getres)(clock, t);
    if (t)
        *t = (struct timespec){.tv_nsec = 1};
    return 0;
}

/* Since the start of the world, in clock ticks; CPU time is the kernel's. */
EXPORT clock_t times(struct tms *t)
{
    clock_t r = (clock_t)achi_raw3(SYS_times, t, 0, 0);

    if (!achi_sim_active() || r == -EFAULT)
        return (clock_t)achi_result((long)r);
    return (clock_t)(achi_sim_now() / (NS_PER_S / sysconf(_SC_CLK_TCK)));
}

EXPORT int sysinfo(struct sysinfo *info)
{
    int r = (int)achi_result(achi_raw3(SYS_sysinfo, info, 0, 0));

    if (r == 0 && achi_sim_active())
        info->uptime = (__typeof__(info->uptime))(achi_sim_now() / NS_PER_S);
    return r;
}

/* Time in a simulation is not for its controllers to set. */
EXPORT int clock_settime(clockid_t clock, const struct timespec *t)
{
    if (!achi_sim_active() || !achi_clock_virtual(clock))
        return REAL(clock_settime)(clock, t);
    errno = EPERM;
    return -1;
}

EXPORT int settimeofday(const struct timeval *t, const struct timezone *zone)
{
    if (!achi_sim_active())
        return REAL(settimeofday)(t, zone);
    errno = EPERM;
    return -1;
}

EXPORT int adjtime(const struct timeval *delta, struct timeval *old)
{
    if (!achi_sim_active())
        return REAL(adjtime)(delta, old);
    errno = EPERM;
    return -1;
}

#define ADJUST "a simulation's clock is not adjusted; use clock_gettime"

/* If the call is allowed all the same, the kernel gets it. */
#define ADJUSTS(name, refused, real, parameters, arguments)                                        \
    EXPORT int name parameters;                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        int r;                                                                                     \
                                                                                                   \
        if (achi_sim_active())                                                                     \
            achi_refuse(refused, ADJUST);                                                          \
        achi_sim_hold();                                                                           \
        r = REAL(real) arguments;                                                                  \
        achi_sim_release();                                                                        \
        return r;                                                                                  \
    }

ADJUSTS(adjtimex, "adjtimex", adjtimex, (struct timex * t), (t))
ADJUSTS(__adjtimex, "adjtimex", __adjtimex, (struct timex * t), (t))
ADJUSTS(clock_adjtime, "clock_adjtime", clock_adjtime, (clockid_t clock, struct timex *t),
        (clock, t))
ADJUSTS(ntp_adjtime, "ntp_adjtime", adjtimex, (struct timex * t), (t))
ADJUSTS(ntp_gettimex, "ntp_gettime", ntp_gettimex, (struct ntptimeval * t), (t))
ADJUSTS(stime, "stime", stime, (const time_t *t), (t))

/* The header gives the newer function the older one's name. */
EXPORT int older_ntp_gettime(struct ntptimeval *t) __asm__("ntp_gettime");

EXPORT int older_ntp_gettime(struct ntptimeval *t)
{
    return ntp_gettimex(t);
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
