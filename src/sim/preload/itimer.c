/* SPDX-License-Identifier: BSD-3-Clause */
/* itimer.c - the functions that set timers of signals: setitimer, alarm, timer_create */
#include <errno.h>
#include <unistd.h>

#include "alarm.h"

#define NS_PER_US 1000
#define US_PER_S 1000000
#define OURS 0x40000000 /* the kernel's timers count from 0 */

static unsigned index_of(timer_t timer)
{
    return (unsigned)((uintptr_t)timer - OURS);
}

static bool ours(timer_t timer)
{
    return (uintptr_t)timer >= OURS && index_of(timer) < ACHI_ALARMS_MAX;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    int r;

    if (!achi_sim_free() || !achi_clock_virtual(clock))
        return REAL(timer_create)(clock, event, timer);
    r = achi_alarm_create(clock, event);
    if (r < 0)
        return (int)achi_result(r);
    *timer = (timer_t)(uintptr_t)(unsigned)(OURS + r);
    return 0;
}

EXPORT int timer_delete(timer_t timer)
{
    return ours(timer) ? (int)achi_result(achi_alarm_delete(index_of(timer)))
                       : REAL(timer_delete)(timer);
}

EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
                         struct itimerspec *restrict old)
{
    return ours(timer) ? (int)achi_result(achi_alarm_set(index_of(timer), flags, value, old))
                       : REAL(timer_settime)(timer, flags, value, old);
}

EXPORT int timer_gettime(timer_t timer, struct itimerspec *value)
{
    return ours(timer) ? (int)achi_result(achi_alarm_get(index_of(timer), value))
                       : REAL(timer_gettime)(timer, value);
}

EXPORT int timer_getoverrun(timer_t timer)
{
    return ours(timer) ? (int)achi_result(achi_alarm_overrun(index_of(timer)))
                       : REAL(timer_getoverrun)(timer);
}

static struct timespec from_timeval(const struct timeval *t)
{
    if (t->tv_usec < 0 || t->tv_usec >= US_PER_S)
        return (struct timespec){.tv_nsec = -1};
    return (struct timespec){.tv_sec = t->tv_sec, .tv_nsec = t->tv_usec * NS_PER_US};
}

/* Less than a microsecond that is left is one: 0 would say that the timer is not set. */
static void to_itimerval(const struct itimerspec *from, struct itimerval *to)
{
    to->it_value.tv_sec = from->it_value.tv_sec;
    to->it_value.tv_usec = from->it_value.tv_nsec / NS_PER_US;
    if (from->it_value.tv_nsec && !to->it_value.tv_sec && !to->it_value.tv_usec)
        to->it_value.tv_usec = 1;
    to->it_interval.tv_sec = from->it_interval.tv_sec;
    to->it_interval.tv_usec = from->it_interval.tv_nsec / NS_PER_US;
}

#undef getitimer
#undef setitimer

EXPORT int getitimer(__itimer_which_t which, struct itimerval *value)
{
    struct itimerspec spec;

    if (!achi_sim_free() || which != ITIMER_REAL)
        return REAL(getitimer)(which, value);
    achi_alarm_get(0, &spec);
    to_itimerval(&spec, value);
    return 0;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                     struct itimerval *restrict old)
{
    struct itimerspec spec = {0}, before;
    int r;

    if (!achi_sim_free() || which != ITIMER_REAL)
        return REAL(setitimer)(which, value, old);
    if (value) {
        spec.it_value = from_timeval(&value->it_value);
        spec.it_interval = from_timeval(&value->it_interval);
    }
    r = achi_alarm_set(0, 0, &spec, &before);
    if (r == 0 && old)
        to_itimerval(&before, old);
    return (int)achi_result(r);
}

/* At least a second is left of an alarm that is set. */
EXPORT unsigned alarm(unsigned seconds)
{
    struct itimerspec value = {.it_value.tv_sec = (time_t)seconds}, old = {0};
    unsigned left;

    if (!achi_sim_free())
        return REAL(alarm)(seconds);
    achi_alarm_set(0, 0, &value, &old);
    left = (unsigned)old.it_value.tv_sec + (old.it_value.tv_nsec >= NS_PER_S / 2);
    return left == 0 && old.it_value.tv_nsec ? 1 : left;
}

EXPORT useconds_t ualarm(useconds_t value, useconds_t interval)
{
    const struct itimerval t = {.it_interval = {.tv_sec = (time_t)(interval / US_PER_S),
                                                .tv_usec = (suseconds_t)(interval % US_PER_S)},
                                .it_value = {.tv_sec = (time_t)(value / US_PER_S),
                                             .tv_usec = (suseconds_t)(value % US_PER_S)}};
    struct itimerval old = {0};

    if (!achi_sim_free())
        return REAL(ualarm)(value, interval);
    if (setitimer(ITIMER_REAL, &t, &old) != 0)
        return (useconds_t)-1;
    return (useconds_t)(old.it_value.tv_sec * US_PER_S + old.it_value.tv_usec);
}
