/* SPDX-License-Identifier: BSD-3-Clause */
/* itimer.c - functions that set timers which send signals: setitimer, alarm, timer_create */
#include <errno.h>
#include <unistd.h>

#include "alarm.h"

#define NS_PER_US 1000
#define US_PER_S 1000000

static unsigned index_of(timer_t timer)
{
    return (unsigned)((uintptr_t)timer - SIMP_ALARM_IDS);
}

static bool itimer_ours(timer_t timer)
{
    return (uintptr_t)timer >= SIMP_ALARM_IDS && index_of(timer) < SIMP_ALARMS_MAX;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    int r;

    if (!simc_free() || !simp_clock_virtual(clock))
        return REAL(timer_create)(clock, event, timer);
    r = simp_alarm_create(clock, event);
    if (r < 0)
        return (int)simp_result(r);
    *timer = (timer_t)(uintptr_t)(unsigned)(SIMP_ALARM_IDS + r);
    return 0;
}

EXPORT int timer_delete(timer_t timer)
{
    return itimer_ours(timer) ? (int)simp_result(simp_alarm_delete(index_of(timer)))
                              : REAL(timer_delete)(timer);
}

EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
                         struct itimerspec *restrict old)
{
    return itimer_ours(timer) ? (int)simp_result(simp_alarm_set(index_of(timer), flags, value, old))
                              : REAL(timer_settime)(timer, flags, value, old);
}

EXPORT int timer_gettime(timer_t timer, struct itimerspec *value)
{
    return itimer_ours(timer) ? (int)simp_result(simp_alarm_get(index_of(timer), value))
                              : REAL(timer_gettime)(timer, value);
}

EXPORT int timer_getoverrun(timer_t timer)
{
    return itimer_ours(timer) ? (int)simp_result(simp_alarm_overrun(index_of(timer)))
                              : REAL(timer_getoverrun)(timer);
}

static struct timespec from_timeval(const struct timeval *t)
{
    if (t->tv_usec < 0 || t->tv_usec >= US_PER_S)
        return (struct timespec){.tv_nsec = -1};
    return (struct timespec){.tv_sec = t->tv_sec, .tv_nsec = t->tv_usec * NS_PER_US};
}

/* Round a remainder below 1 us up: 0 would mean that the timer is disarmed. */
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

    if (!simc_free() || which != ITIMER_REAL)
        return REAL(getitimer)(which, value);
    simp_alarm_get(0, &spec);
    to_itimerval(&spec, value);
    return 0;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                     struct itimerval *restrict old)
{
    struct itimerspec spec = {0}, before;
    int r;

    if (!simc_free() || which != ITIMER_REAL)
        return REAL(setitimer)(which, value, old);
    if (value) {
        spec.it_value = from_timeval(&value->it_value);
        spec.it_interval = from_timeval(&value->it_interval);
    }
    r = simp_alarm_set(0, 0, &spec, &before);
    if (r == 0 && old)
        to_itimerval(&before, old);
    return (int)simp_result(r);
}

/* Returns at least 1 if an alarm was set: 0 would mean that none was. */
EXPORT unsigned alarm(unsigned seconds)
{
    struct itimerspec value = {.it_value.tv_sec = (time_t)seconds}, old = {0};
    unsigned left;

    if (!simc_free())
        return REAL(alarm)(seconds);
    simp_alarm_set(0, 0, &value, &old);
    left = (unsigned)old.it_value.tv_sec + (old.it_value.tv_nsec >= NS_PER_S / 2);
    return left == 0 && old.it_value.tv_nsec ? 1 : left;
}

/* As in the C library, a second or more is an error. */
EXPORT useconds_t ualarm(useconds_t value, useconds_t interval)
{
    const struct itimerval t = {.it_interval.tv_usec = (suseconds_t)interval,
                                .it_value.tv_usec = (suseconds_t)value};
    struct itimerval old = {0};

    if (!simc_free())
        return REAL(ualarm)(value, interval);
    if (setitimer(ITIMER_REAL, &t, &old) != 0)
        return (useconds_t)-1;
    return (useconds_t)(old.it_value.tv_sec * US_PER_S + old.it_value.tv_usec);
}
