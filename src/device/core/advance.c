/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * advance.c - a simulated clock that moves when all drivers have done their work
 *
 * A driver is idle while it sleeps and its queue is empty. All drivers are checked
 * under time_lock, which a driver takes to fall asleep and to wake up: so no driver
 * can pass work on and become idle during the check.
 */
#include <ach.h>
#include <math.h>

#include "../../util/monotonic.h"
#include "core.h"

/* Seconds that a busy driver may delay the clock. Then it is ignored until it sleeps again. */
#define PATIENCE 10.0

/* Whether it has nothing to do until the clock moves or a message arrives. */
static bool rests(const ach_driver_t *d)
{
    return d->asleep && d->wake_at > d->robot->time && ach_queue_length(d->queue) == 0 &&
           !__atomic_load_n(&d->stop, __ATOMIC_ACQUIRE);
}

static bool idle(const ach_driver_t *d)
{
    return !d->follows || rests(d);
}

static bool all_idle(ach_driver_t *mover)
{
    ach_robot_t *r = mover->robot;
    bool all;
    const ach_driver_t *d;

    pthread_mutex_lock(&r->time_lock);
    r->mover = mover;
    all = ach_queue_length(mover->queue) == 0;
    for (d = r->drivers; d && all; d = d->next)
        all = d == mover || idle(d);
    pthread_mutex_unlock(&r->time_lock);
    return all;
}

static void leave_behind(ach_driver_t *mover)
{
    ach_robot_t *r = mover->robot;
    ach_driver_t *d;

    pthread_mutex_lock(&r->time_lock);
    for (d = r->drivers; d; d = d->next)
        if (d != mover && !idle(d))
            d->follows = false;
    pthread_mutex_unlock(&r->time_lock);
}

ach_status_t ach_driver_advance(ach_driver_t *driver, double time)
{
    double until = monotonic_seconds() + PATIENCE;

    if (!driver->robot->attr.simulated)
        return ach_errstr_set(ACH_ENOTSUP, "the robot uses the wall clock, not a simulated clock");
    for (;;) {
        if (!dev_driver_process(driver))
            return ach_errstr_set(ACH_CANCELED, "the driver was asked to stop");
        if (all_idle(driver))
            break;
        if (monotonic_seconds() >= until) {
            leave_behind(driver);
            break;
        }
        dev_wakeup_wait(driver->eventfd, until);
    }
    return ach_robot_set_time(driver->robot, time);
}

/* Whether its phase is about to change. A failed driver's is not: it may never recover. */
static bool changes(const ach_driver_t *d)
{
    switch (d->phase) {
    case DEV_IDLE:
        return d->subscriptions > 0 && !d->quit;
    case DEV_RUNNING:
        return d->stop;
    case DEV_STARTING:
    case DEV_STOPPING:
        return true;
    case DEV_BROKEN:
        break;
    }
    return false;
}

static bool settled(const ach_driver_t *d)
{
    if (rests(d))
        return true;
    return !d->follows && !changes(d) && (!dev_driver_inline(d) || dev_inline_idle(d));
}

/* The first driver that is not settled; NULL: none. Returns with time_lock held. */
static const ach_driver_t *unsettled(ach_robot_t *r)
{
    const ach_driver_t *d = r->drivers;

    pthread_mutex_lock(&r->lock);
    pthread_mutex_lock(&r->time_lock);
    while (d && settled(d))
        d = d->next;
    pthread_mutex_unlock(&r->lock);
    return d;
}

static struct timespec deadline(double seconds)
{
    return dev_timespec(monotonic_seconds() + (seconds < DEV_LONG_WAIT ? seconds : DEV_LONG_WAIT));
}

/* Wait until all are settled. Returns a driver that is not. Under time_lock, released meanwhile. */
static const ach_driver_t *advance_await(ach_robot_t *r, double seconds)
{
    struct timespec end = deadline(seconds);
    const ach_driver_t *d;
    int error = 0;

    __atomic_add_fetch(&r->settling, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        pthread_mutex_unlock(&r->time_lock);
        d = unsettled(r);
        if (!d || error == ETIMEDOUT)
            break;
        error = pthread_cond_timedwait(&r->rested, &r->time_lock, &end);
    }
    __atomic_sub_fetch(&r->settling, 1, __ATOMIC_SEQ_CST);
    return d;
}

ach_status_t ach_robot_settle(ach_robot_t *robot, double seconds)
{
    char text[ACH_ADDRESS_MAX] = "without a device";
    const struct dev_device *device;
    const ach_driver_t *d;

    if (!robot->attr.simulated)
        return ach_errstr_set(ACH_ENOTSUP, "the robot uses the wall clock, not a simulated clock");
    d = unsettled(robot);
    if (d)
        d = advance_await(robot, seconds);
    pthread_mutex_unlock(&robot->time_lock);
    if (!d)
        return ACH_OK;
    device = dev_device_of(d);
    if (device)
        ach_address_text(&device->address, text);
    return ach_errstr_set(ACH_TIMEOUT, "driver %s (%s) did not finish within %g s", d->class->name,
                          text, seconds);
}

double ach_robot_next(ach_robot_t *robot)
{
    double next = INFINITY;
    const ach_driver_t *d;

    pthread_mutex_lock(&robot->time_lock);
    for (d = robot->drivers; d; d = d->next)
        if (d->wake_at < next)
            next = d->wake_at;
    pthread_mutex_unlock(&robot->time_lock);
    return next;
}
