/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - a driver handles its messages and sleeps until a time */
#include <ach.h>
#include <math.h>
#include <stdio.h>

#include "../../util/monotonic.h"
#include "core.h"
#include "message.h"

/* Longest sleep in seconds, so that a step of the wall clock delays a driver no longer. */
#define NAP 60.0

/* Seconds that a driver that is to stop may spend on the messages in its queue. */
#define STOP_SECONDS 2.0

int ach_driver_fd(const ach_driver_t *driver)
{
    return driver->eventfd;
}

static void settle(const ach_driver_t *d, const ach_message_t *m, ach_status_t status)
{
    char why[ACH_UNHANDLED_WHY];

    if (status == ACH_ENOTSUP)
        snprintf(why, sizeof(why), "driver %s does not support it", d->class->name);
    else if (status != ACH_OK)
        snprintf(why, sizeof(why), "driver %s: %s", d->class->name, ach_errstr());
    dev_message_settle(m, status == ACH_OK ? NULL : why);
}

/* Only a driver that passes messages on is given a flush: the commands went there before it. */
static ach_status_t take_flush(ach_driver_t *d, const ach_message_t *m)
{
    ach_status_t status = ACH_ENOTSUP;

    if (d->class->flags & ACH_DRIVER_TRANSPARENT && d->class->process)
        status = d->class->process(d, d->state, m);
    if (status == ACH_ENOTSUP && dev_message_claim(m))
        status = dev_message_answer(m, ACH_MSG_ACK, ach_driver_time(d), NULL);
    return status;
}

void dev_driver_take(ach_driver_t *d, ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_status_t status = ACH_ENOTSUP;
    char text[ACH_ADDRESS_MAX];

    if (dev_message_is_flush(m))
        status = take_flush(d, m);
    else if (d->class->process)
        status = d->class->process(d, d->state, m);
    settle(d, m, status);
    if (status == ACH_ENOTSUP && h->type == ACH_MSG_CMD)
        ach_driver_log(d, ACH_LOG_WARNING, "command %u of %s is not supported", h->subtype,
                       ach_address_text(&h->address, text));
    else if (status != ACH_OK && status != ACH_ENOTSUP)
        ach_driver_log(d, ACH_LOG_WARNING, "message %u:%u of %s: %s (%s)", h->type, h->subtype,
                       ach_address_text(&h->address, text), ach_errstr(),
                       ach_result_to_string(status));
    ach_message_unref(m);
}

static bool stopping(const ach_driver_t *d)
{
    return __atomic_load_n(&d->stop, __ATOMIC_ACQUIRE);
}

/* Whether a driver that is to stop has used up its time. *until: deadline; infinite at first. */
static bool out_of_time(const ach_driver_t *d, double *until)
{
    if (!stopping(d))
        return false;
    if (isinf(*until))
        *until = monotonic_seconds() + STOP_SECONDS;
    return monotonic_seconds() >= *until;
}

/*
 * The eventfd is cleared first: a later message makes it readable again. A pass handles only
 * the messages that are queued when it begins, so that a flood does not keep main from its work.
 *
 * No message is accepted for a driver once stop is set. So a second pass, which begins after
 * that, handles the last message that was accepted.
 */
bool dev_driver_process(ach_driver_t *d)
{
    double until = INFINITY;
    ach_message_t *m;
    size_t left;
    bool stop;

    dev_wakeup_clear(d->eventfd);
    do {
        stop = stopping(d);
        left = ach_queue_length(d->queue);
        while (left-- && !out_of_time(d, &until) && (m = ach_queue_pop(d->queue)))
            dev_driver_take(d, m);
    } while (!stop && stopping(d)); /* stop was set during the pass: one more */
    if (ach_queue_length(d->queue)) /* a push to a non-empty queue does not wake */
        dev_driver_wake(d);
    return !stop;
}

/* Sleep until the driver is woken or the time is reached; may return early. */
static void sleep_until(ach_driver_t *d, double time)
{
    double left;

    if (d->robot->attr.simulated) {
        dev_driver_fall_asleep(d, time);
        dev_wakeup_wait(d->eventfd, -1);
        dev_driver_wake_up(d);
        return;
    }
    left = time - ach_driver_time(d);
    if (left > NAP)
        left = NAP;
    dev_wakeup_wait(d->eventfd, monotonic_seconds() + (left > 0 ? left : 0));
}

bool ach_driver_wait_until(ach_driver_t *driver, double time)
{
    for (;;) {
        if (!dev_driver_process(driver))
            return false;
        if (ach_driver_time(driver) >= time)
            return true;
        if (ach_queue_length(driver->queue) == 0)
            sleep_until(driver, time);
    }
}

void ach_driver_wake(ach_driver_t *driver)
{
    dev_driver_wake(driver);
}

bool ach_driver_wait_next(ach_driver_t *driver, double seconds)
{
    bool queued = ach_queue_length(driver->queue) != 0;
    bool more = dev_driver_process(driver);

    if (queued || !more || seconds == 0)
        return more;
    sleep_until(driver, seconds < 0 ? INFINITY : ach_driver_time(driver) + seconds);
    return dev_driver_process(driver);
}

bool ach_driver_wait(ach_driver_t *driver, double seconds)
{
    return ach_driver_wait_until(driver, seconds < 0   ? INFINITY
                                         : seconds > 0 ? ach_driver_time(driver) + seconds
                                                       : 0);
}
