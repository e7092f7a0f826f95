/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - functions that return or set the time */
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

int64_t simp_ns(const struct timespec *t)
{
    int64_t ns;

    if (__builtin_mul_overflow((int64_t)t->tv_sec, NS_PER_S, &ns) ||
        __builtin_add_overflow(ns, (int64_t)t->tv_nsec, &ns))
        return t->tv_sec < 0 ? INT64_MIN : SIM_NEVER;
    return ns;
}

struct timespec simp_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

int64_t simp_after(int64_t time, int64_t ns)
{
    int64_t sum;

    return __builtin_add_overflow(time, ns, &sum) ? SIM_NEVER : sum;
}

static bool counts_from_1970(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
           clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

bool simp_clock_virtual(clockid_t clock)
{
    return counts_from_1970(clock) || clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_BOOTTIME_ALARM;
}

/* The kernel's encoding of a clock that is an open file, such as /dev/ptp0. */
static bool clock_of_device(clockid_t clock)
{
    return clock < 0 && (clock & 7) == 3;
}

bool simp_clock_cpu(clockid_t clock)
{
    return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ||
           (clock < 0 && !clock_of_device(clock));
}

int simp_clock_unknown(clockid_t clock)
{
    if (clock_of_device(clock))
        simp_refuse("ptp: the clock of a device, which shows real time", "use CLOCK_MONOTONIC");
    return EINVAL;
}

/* Clocks of alarms (CLOCK_*_ALARM) need a privilege natively; here they need none. */
bool simp_clock_has_timers(clockid_t clock)
{
    return simp_clock_virtual(clock) && clock != CLOCK_MONOTONIC_RAW &&
           clock != CLOCK_REALTIME_COARSE && clock != CLOCK_MONOTONIC_COARSE;
}

static int64_t clock_now(clockid_t clock)
{
    return simc_now() + (counts_from_1970(clock) ? simc_epoch() : 0);
}

int64_t simp_clock_point(clockid_t clock, const struct timespec *t)
{
    int64_t ns = simp_ns(t);

    if (!counts_from_1970(clock) || ns == SIM_NEVER)
        return ns;
    return ns < INT64_MIN + simc_epoch() ? INT64_MIN : ns - simc_epoch();
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!simc_active() || simp_clock_cpu(clock))
        return REAL(clock_gettime)(clock, t);
    if (!simp_clock_virtual(clock))
        return (int)simp_result(-simp_clock_unknown(clock));
    *t = simp_timespec(clock_now(clock));
    return 0;
}

/* The resolution of all virtual clocks is 1 ns. */
EXPORT int clock_getres(clockid_t clock, struct timespec *t)
{
    if (!simc_active() || simp_clock_cpu(clock))
        return REAL(clock_getres)(clock, t);
    if (!simp_clock_virtual(clock))
        return (int)simp_result(-simp_clock_unknown(clock));
    if (t)
        *t = (struct timespec){.tv_nsec = 1};
    return 0;
}

/* Returns clock ticks since the start of the world; the CPU times in *t are the kernel's. */
EXPORT clock_t times(struct tms *t)
{
    clock_t r = (clock_t)simc_raw3(SYS_times, t, 0, 0);

    if (!simc_active() || r == -EFAULT)
        return (clock_t)simp_result((long)r);
    return (clock_t)(simc_now() / (NS_PER_S / sysconf(_SC_CLK_TCK)));
}

EXPORT int sysinfo(struct sysinfo *info)
{
    int r = (int)simp_result(simc_raw3(SYS_sysinfo, info, 0, 0));

    if (r == 0 && simc_active())
        info->uptime = (__typeof__(info->uptime))(simc_now() / NS_PER_S);
    return r;
}

/* Controllers may not set the time of a simulation. */
EXPORT int clock_settime(clockid_t clock, const struct timespec *t)
{
    if (!simc_active() || simp_clock_cpu(clock))
        return REAL(clock_settime)(clock, t);
    return (int)simp_result(-(simp_clock_virtual(clock) ? EPERM : simp_clock_unknown(clock)));
}

EXPORT int settimeofday(const struct timeval *t, const struct timezone *zone)
{
    if (!simc_active())
        return REAL(settimeofday)(t, zone);
    errno = EPERM;
    return -1;
}

EXPORT int adjtime(const struct timeval *delta, struct timeval *old)
{
    if (!simc_active())
        return REAL(adjtime)(delta, old);
    errno = EPERM;
    return -1;
}

#define ADJUST "a simulated clock cannot be adjusted; use clock_gettime"

/* If the world file allows the call, it goes to the kernel. */
#define ADJUSTS(name, refused, real, parameters, arguments)                                        \
    EXPORT int name parameters;                                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        int r;                                                                                     \
                                                                                                   \
        if (simc_active())                                                                         \
            simp_refuse(refused, ADJUST);                                                          \
        simc_hold();                                                                               \
        r = REAL(real) arguments;                                                                  \
        simc_release();                                                                            \
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

    if (!simc_active())
        return REAL(gettimeofday)(t, zone);
    now = simp_timespec(clock_now(CLOCK_REALTIME));
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / NS_PER_US;
    return 0;
}

EXPORT time_t time(time_t *t)
{
    time_t now;

    if (!simc_active())
        return REAL(time)(t);
    now = (time_t)(clock_now(CLOCK_REALTIME) / NS_PER_S);
    if (t)
        *t = now;
    return now;
}

EXPORT int timespec_get(struct timespec *t, int base)
{
    if (!simc_active() || base != TIME_UTC)
        return REAL(timespec_get)(t, base);
    *t = simp_timespec(clock_now(CLOCK_REALTIME));
    return base;
}

/* ftime is declared deprecated, but old programs call it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

EXPORT int ftime(struct timeb *t)
{
    struct timespec now;

    if (!simc_active())
        return REAL(ftime)(t);
    now = simp_timespec(clock_now(CLOCK_REALTIME));
    *t = (struct timeb){.time = now.tv_sec, .millitm = (unsigned short)(now.tv_nsec / NS_PER_MS)};
    return 0;
}
