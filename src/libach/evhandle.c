/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach/experimental.h>
#include <errno.h>
#include <stdbool.h>

#include "clock.h"

#define EV_OPTIONS (ACH_EV_O_PERIODIC_TIMEOUT | ACH_EV_O_PERIODIC_INPUT)

static bool goes_on(enum ach_status r)
{
    return r == ACH_OK || r == ACH_STALE_FRAMES;
}

/* Call the handlers of the channels with news. *input: one of them got messages. */
static enum ach_status dispatch(struct ach_evhandler *handlers, const ach_wait_item_t *items,
                                size_t n, bool *input)
{
    size_t i;

    *input = false;
    for (i = 0; i < n; i++) {
        enum ach_status r;

        if (items[i].status == ACH_EAGAIN)
            continue;
        r = handlers[i].handler(handlers[i].context, handlers[i].channel);
        if (!goes_on(r))
            return r;
        *input |= r == ACH_OK;
    }
    return ACH_OK;
}

static bool arguments_valid(const struct ach_evhandler *handlers, size_t n,
                            const struct timespec *period, int options)
{
    size_t i;

    if ((!handlers && n) || n > ACH_WAIT_MAX || (options & ~EV_OPTIONS))
        return false;
    if (n == 0 && !(options & ACH_EV_O_PERIODIC_TIMEOUT)) /* nothing would end the wait */
        return false;
    if ((options & ACH_EV_O_PERIODIC_TIMEOUT) &&
        (!period || period->tv_sec < 0 || !achi_time_valid(period)))
        return false;
    for (i = 0; i < n; i++)
        if (!handlers[i].channel || !handlers[i].handler)
            return false;
    return true;
}

/* As ach_wait, also for no channel: then it is a timer. */
static enum ach_status wait_for_news(ach_wait_item_t *items, size_t n, const struct timespec *until)
{
    if (n)
        return ach_wait(items, n, until, ACH_O_INTERRUPT);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, until, NULL) == EINTR ? ACH_EINTR
                                                                                 : ACH_TIMEOUT;
}

enum ach_status ach_evhandle(struct ach_evhandler *handlers, size_t n,
                             const struct timespec *period,
                             enum ach_status (*periodic)(void *context), void *context, int options)
{
    const bool timed = (options & ACH_EV_O_PERIODIC_TIMEOUT) != 0;
    ach_wait_item_t items[ACH_WAIT_MAX];
    struct timespec now, next;
    size_t i;

    if (!arguments_valid(handlers, n, period, options))
        return ACH_EINVAL;
    for (i = 0; i < n; i++)
        items[i].chan = handlers[i].channel;
    clock_gettime(CLOCK_MONOTONIC, &next);
    if (timed)
        next = achi_time_sum(&next, period);
    for (;;) {
        enum ach_status r = wait_for_news(items, n, timed ? &next : NULL);
        bool due = r == ACH_TIMEOUT, input = false;

        if (r == ACH_EINTR)
            return ACH_OK;
        if (r == ACH_OK)
            r = dispatch(handlers, items, n, &input);
        else if (due)
            r = ACH_OK;
        if (timed && !due) { /* periodic is due even if the channels always have news */
            clock_gettime(CLOCK_MONOTONIC, &now);
            due = !achi_time_before(&now, &next);
        }
        if (r == ACH_OK && periodic && (due || (input && (options & ACH_EV_O_PERIODIC_INPUT))))
            r = periodic(context);
        if (!goes_on(r))
            return r;
        if (due) {
            clock_gettime(CLOCK_MONOTONIC, &next);
            next = achi_time_sum(&next, period);
        }
    }
}

enum ach_status ach_evhandle_epoll(struct ach_evhandler *handlers, size_t n,
                                   const struct timespec *period,
                                   enum ach_status (*periodic)(void *context), void *context,
                                   int options)
{
    return ach_evhandle(handlers, n, period, periodic, context, options);
}
