/* SPDX-License-Identifier: BSD-3-Clause */
/* sleep.c - sleeping for a time, and giving way to others */
#include <errno.h>
#include <sched.h>
#include <threads.h>
#include <unistd.h>

#include "preload.h"

#define NS_PER_US 1000

/* What is left of a sleep that a signal handler has ended. */
static void set_left(struct timespec *left, int64_t end)
{
    int64_t rest = end - achi_sim_now();

    if (left)
        *left = achi_timespec(rest > 0 ? rest : 0);
}

static bool sleep_for(int64_t ns, struct timespec *left)
{
    int64_t end = achi_after(achi_sim_now(), ns);

    if (achi_sleep_until(end))
        return true;
    set_left(left, end);
    return false;
}

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
    if (flags & TIMER_ABSTIME)
        return achi_sleep_until(achi_clock_point(clock, t)) ? 0 : EINTR;
    return sleep_for(achi_ns(t), left) ? 0 : EINTR;
}

EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
    if (!achi_sim_free())
        return REAL(nanosleep)(t, left);
    if (!valid(t) || t->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    if (sleep_for(achi_ns(t), left))
        return 0;
    errno = EINTR;
    return -1;
}

EXPORT int usleep(useconds_t us)
{
    if (!achi_sim_free())
        return REAL(usleep)(us);
    if (sleep_for((int64_t)us * NS_PER_US, NULL))
        return 0;
    errno = EINTR;
    return -1;
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct timespec left;

    if (!achi_sim_free())
        return REAL(sleep)(seconds);
    if (sleep_for(seconds * NS_PER_S, &left))
        return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec >= NS_PER_S / 2);
}

EXPORT int thrd_sleep(const struct timespec *t, struct timespec *left)
{
    if (!achi_sim_free() || !valid(t) || t->tv_sec < 0)
        return REAL(thrd_sleep)(t, left);
    return sleep_for(achi_ns(t), left) ? 0 : -1;
}

EXPORT int sched_yield(void)
{
    if (achi_sim_free()) {
        achi_local_post_pending();
        achi_sim_yield();
    }
    return (int)achi_result(achi_raw3(SYS_sched_yield, 0, 0, 0));
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
