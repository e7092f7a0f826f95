/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - time, and what a driver does while it passes */
#include <ach.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

/* So that a clock which is set does not hold up a driver for longer. */
#define NAP 60.0

/* A driver that is to stop handles what is in its queue, for so many seconds at most. */
#define STOP_SECONDS 2.0

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double ach_robot_time(const ach_robot_t *robot)
{
    ach_robot_t *r = (ach_robot_t *)(uintptr_t)robot;
    double time;

    if (!r->attr.simulated)
        return seconds_of(CLOCK_REALTIME);
    pthread_mutex_lock(&r->time_lock);
    time = r->time;
    pthread_mutex_unlock(&r->time_lock);
    return time;
}

ach_status_t ach_robot_set_time(ach_robot_t *robot, double time)
{
    ach_driver_t *d;

    if (!robot->attr.simulated)
        return ach_errstr_set(ACH_ENOTSUP, "the robot's clock is the wall's");
    pthread_mutex_lock(&robot->time_lock);
    if (time > robot->time)
        robot->time = time;
    for (d = robot->drivers; d; d = d->next)
        if (d->wake_at <= robot->time)
            achi_driver_wake(d);
    pthread_mutex_unlock(&robot->time_lock);
    return ACH_OK;
}

double ach_driver_time(const ach_driver_t *driver)
{
    return ach_robot_time(driver->robot);
}

int ach_driver_fd(const ach_driver_t *driver)
{
    return driver->eventfd;
}

void achi_driver_take(ach_driver_t *d, ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_status_t status = ACH_ENOTSUP;
    char text[ACH_ADDRESS_MAX];

    if (d->class->process)
        status = d->class->process(d, d->state, m);
    if (status != ACH_OK && status != ACH_ENOTSUP)
        ach_driver_log(d, ACH_LOG_WARNING, "message %u:%u of %s: %s (%s)", h->type, h->subtype,
                       ach_address_text(&h->address, text), ach_errstr(),
                       ach_result_to_string(status));
    ach_message_unref(m);
}

static bool stopping(const ach_driver_t *d)
{
    return __atomic_load_n(&d->stop, __ATOMIC_ACQUIRE);
}

/* Whether a driver that is to stop has used up its time. *until: infinite before it is to stop. */
static bool out_of_time(const ach_driver_t *d, double *until)
{
    if (!stopping(d))
        return false;
    if (isinf(*until))
        *until = achi_monotonic() + STOP_SECONDS;
    return achi_monotonic() >= *until;
}

/*
 * The eventfd is read first: what comes later makes it readable again. No more
 * than what is there now, so that a flood does not keep main from its work.
 *
 * Nothing is accepted for a driver once it is to stop, so the second pass, which begins after
 * that, takes the last message that was accepted.
 */
bool achi_driver_process(ach_driver_t *d)
{
    double until = INFINITY;
    ach_message_t *m;
    size_t left;
    bool stop;

    achi_bell_clear(d->eventfd);
    do {
        stop = stopping(d);
        left = ach_queue_length(d->queue);
        while (left-- && !out_of_time(d, &until) && (m = ach_queue_pop(d->queue)))
            achi_driver_take(d, m);
    } while (!stop && stopping(d)); /* seen after the pass: one more */
    if (ach_queue_length(d->queue)) /* it came while others were there, and woke nobody */
        achi_driver_wake(d);
    return !stop;
}

static void fall_asleep(ach_driver_t *d, double until)
{
    ach_robot_t *r = d->robot;

    pthread_mutex_lock(&r->time_lock);
    d->wake_at = until;
    d->asleep = d->follows = true;
    if (until <= r->time)
        achi_driver_wake(d);
    if (r->mover && r->mover != d)
        achi_driver_wake(r->mover);
    achi_robot_rested(r);
    pthread_mutex_unlock(&r->time_lock);
}

static void wake_up(ach_driver_t *d)
{
    pthread_mutex_lock(&d->robot->time_lock);
    d->wake_at = INFINITY;
    d->asleep = false;
    pthread_mutex_unlock(&d->robot->time_lock);
}

/* Sleep until there is something to do, or it may be time. */
static void sleep_until(ach_driver_t *d, double time)
{
    double left;

    if (d->robot->attr.simulated) {
        fall_asleep(d, time);
        achi_bell_wait(d->eventfd, -1);
        wake_up(d);
        return;
    }
    left = time - ach_driver_time(d);
    if (left > NAP)
        left = NAP;
    achi_bell_wait(d->eventfd, achi_monotonic() + (left > 0 ? left : 0));
}

bool ach_driver_wait_until(ach_driver_t *driver, double time)
{
    for (;;) {
        if (!achi_driver_process(driver))
            return false;
        if (ach_driver_time(driver) >= time)
            return true;
        if (ach_queue_length(driver->queue) == 0)
            sleep_until(driver, time);
    }
}

bool ach_driver_wait(ach_driver_t *driver, double seconds)
{
    return ach_driver_wait_until(driver, seconds < 0   ? INFINITY
                                         : seconds > 0 ? ach_driver_time(driver) + seconds
                                                       : 0);
}
