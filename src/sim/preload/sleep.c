/* SPDX-License-Identifier: BSD-3-Clause */
/* sleep.c - sleeping for a time */
#include <errno.h>
#include <threads.h>
#include <unistd.h>

#include "preload.h"

#define NS_PER_US 1000

static bool valid(const struct timespec *t)
{
    return t && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                           struct timespec *left)
{
    if (!achi_sim_free() || !achi_clock_virtual(clock))
        return REAL(clock_nanosleep)(clock, flags, t, left);
    if (!valid(t) || (t->tv_sec < 0 && !(flags & TIMER_ABSTIME)))
        return EINVAL;
    achi_sleep_until(flags & TIMER_ABSTIME ? achi_clock_point(clock, t)
                                           : achi_after(achi_sim_now(), achi_ns(t)));
    return 0;
}

EXPORT int __clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                             struct timespec *left);

EXPORT int __clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                             struct timespec *left)
{
    return clock_nanosleep(clock, flags, t, left);
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
    if (!achi_sim_free())
        return REAL(nanosleep)(t, left);
    if (!valid(t) || t->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    achi_sleep_until(achi_after(achi_sim_now(), achi_ns(t)));
    return 0;
}

EXPORT int __nanosleep(const struct timespec *t, struct timespec *left);

EXPORT int __nanosleep(const struct timespec *t, struct timespec *left)
{
    return nanosleep(t, left);
}

EXPORT int usleep(useconds_t us)
{
    if (!achi_sim_free())
        return REAL(usleep)(us);
    achi_sleep_until(achi_after(achi_sim_now(), (int64_t)us * NS_PER_US));
    return 0;
}

EXPORT unsigned sleep(unsigned seconds)
{
    if (!achi_sim_free())
        return REAL(sleep)(seconds);
    achi_sleep_until(achi_after(achi_sim_now(), seconds * NS_PER_S));
    return 0;
}

EXPORT int thrd_sleep(const struct timespec *t, struct timespec *left)
{
    if (!achi_sim_free() || !valid(t) || t->tv_sec < 0)
        return REAL(thrd_sleep)(t, left);
    achi_sleep_until(achi_after(achi_sim_now(), achi_ns(t)));
    return 0;
}
