/* SPDX-License-Identifier: BSD-3-Clause */
/* sleep.c - sleep and yield */
#include <errno.h>
#include <sched.h>
#include <threads.h>
#include <unistd.h>

#include "preload.h"

#define NS_PER_US 1000

/* Store the remaining time of a sleep that a signal handler has ended. */
static void sleep_set_left(struct timespec *left, int64_t end)
{
    int64_t rest = end - simc_now();

    if (left)
        *left = simp_timespec(rest > 0 ? rest : 0);
}

static bool sleep_for(int64_t ns, struct timespec *left)
{
    int64_t end = simp_after(simc_now(), ns);

    if (simp_sleep_until(end))
        return true;
    sleep_set_left(left, end);
    return false;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                           struct timespec *left)
{
    if (!simc_free() || simp_clock_cpu(clock))
        return REAL(clock_nanosleep)(clock, flags, t, left);
    if (!simp_clock_virtual(clock))
        return simp_clock_unknown(clock);
    if (!simp_clock_has_timers(clock))
        return EOPNOTSUPP;
    if (!t || !simp_timespec_valid(t))
        return t ? EINVAL : EFAULT;
    if (flags & TIMER_ABSTIME)
        return simp_sleep_until(simp_clock_point(clock, t)) ? 0 : EINTR;
    return sleep_for(simp_ns(t), left) ? 0 : EINTR;
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
    if (!simc_free())
        return REAL(nanosleep)(t, left);
    if (!t || !simp_timespec_valid(t)) {
        errno = t ? EINVAL : EFAULT;
        return -1;
    }
    if (sleep_for(simp_ns(t), left))
        return 0;
    errno = EINTR;
    return -1;
}

EXPORT int usleep(useconds_t us)
{
    if (!simc_free())
        return REAL(usleep)(us);
    if (sleep_for((int64_t)us * NS_PER_US, NULL))
        return 0;
    errno = EINTR;
    return -1;
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct timespec left;

    if (!simc_free())
        return REAL(sleep)(seconds);
    if (sleep_for(seconds * NS_PER_S, &left))
        return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec >= NS_PER_S / 2);
}

EXPORT int thrd_sleep(const struct timespec *t, struct timespec *left)
{
    if (!simc_free() || !t || !simp_timespec_valid(t))
        return REAL(thrd_sleep)(t, left);
    return sleep_for(simp_ns(t), left) ? 0 : -1;
}

EXPORT int sched_yield(void)
{
    if (simc_free()) {
        simp_local_post_pending();
        simc_yield();
    }
    return (int)simp_result(simc_raw3(SYS_sched_yield, 0, 0, 0));
}

EXPORT void thrd_yield(void)
{
    sched_yield();
}

/* The header gives the newer function the older one's name. */
EXPORT int older_pthread_yield(void) __asm__("pthread_yield");

EXPORT int older_pthread_yield(void)
{
    return sched_yield();
}
