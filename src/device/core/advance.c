/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * advance.c - a simulated clock that moves when all drivers have done their work
 *
 * A driver is idle while it sleeps and nothing is in its queue. All are looked at
 * under the lock of the clock, which a driver needs to fall asleep or to wake
 * up: so nobody can pass work on and go idle while others are looked at.
 */
#include <ach.h>
#include <math.h>

#include "core.h"

/* Seconds that somebody may hold up the clock. Then it goes on without him, until he sleeps. */
#define PATIENCE 10.0

void achi_driver_follow(ach_driver_t *d, bool follow)
{
    ach_robot_t *r = d->robot;

    pthread_mutex_lock(&r->time_lock);
    d->wake_at = INFINITY;
    d->asleep = false;
    d->follows = follow;
    if (r->mover == d)
        r->mover = NULL;
    else if (r->mover)
        achi_driver_wake(r->mover);
    achi_robot_rested(r);
    pthread_mutex_unlock(&r->time_lock);
}

/* Until the clock moves or a message comes. */
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
    double until = achi_monotonic() + PATIENCE;

    if (!driver->robot->attr.simulated)
        return ach_errstr_set(ACH_ENOTSUP, "the robot's clock is the wall's");
    for (;;) {
        if (!achi_driver_process(driver))
            return ach_errstr_set(ACH_CANCELED, "the driver is to stop");
        if (all_idle(driver))
            break;
        if (achi_monotonic() >= until) {
            leave_behind(driver);
            break;
        }
        achi_bell_wait(driver->eventfd, until);
    }
    return ach_robot_set_time(driver->robot, time);
}

/* On its way to another phase. One that has failed is not: its hardware may never come. */
static bool changes(const ach_driver_t *d)
{
    switch (d->phase) {
    case ACHI_IDLE:
        return d->subscriptions > 0 && !d->quit;
    case ACHI_RUNNING:
        return d->stop;
    case ACHI_STARTING:
    case ACHI_STOPPING:
        return true;
    case ACHI_BROKEN:
        break;
    }
    return false;
}

static bool settled(const ach_driver_t *d)
{
    if (rests(d))
        return true;
    return !d->follows && !changes(d) && (!achi_driver_inline(d) || achi_inline_idle(d));
}

void achi_robot_rested(ach_robot_t *r)
{
    if (r->settling)
        pthread_cond_broadcast(&r->rested);
}

/* The first one that is not done. The clock's lock is held when it returns. */
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
    return achi_timespec(achi_monotonic() + (seconds < ACHI_LONG_WAIT ? seconds : ACHI_LONG_WAIT));
}

/* Who is not done in the end. Under the clock's lock, which is released in between. */
static const ach_driver_t *await(ach_robot_t *r, double seconds)
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
    const struct achi_device *device;
    const ach_driver_t *d;

    if (!robot->attr.simulated)
        return ach_errstr_set(ACH_ENOTSUP, "the robot's clock is the wall's");
    d = unsettled(robot);
    if (d)
        d = await(robot, seconds);
    pthread_mutex_unlock(&robot->time_lock);
    if (!d)
        return ACH_OK;
    device = achi_device_of(d);
    if (device)
        ach_address_text(&device->address, text);
    return ach_errstr_set(ACH_TIMEOUT, "driver %s (%s) was not done within %g s", d->class->name,
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
