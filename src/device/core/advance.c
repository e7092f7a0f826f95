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
    pthread_mutex_unlock(&r->time_lock);
}

static bool idle(const ach_driver_t *d)
{
    return !d->follows ||
           (d->asleep && d->wake_at > d->robot->time && ach_queue_length(d->queue) == 0);
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
