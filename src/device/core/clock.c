/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - the robot's clock: the wall's or a simulated one, and which drivers sleep on it */
#include <ach.h>
#include <math.h>
#include <time.h>

#include "core.h"

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
        return ach_errstr_set(ACH_ENOTSUP, "the robot uses the wall clock, not a simulated clock");
    pthread_mutex_lock(&robot->time_lock);
    if (time > robot->time)
        robot->time = time;
    for (d = robot->drivers; d; d = d->next)
        if (d->wake_at <= robot->time)
            dev_driver_wake(d);
    pthread_mutex_unlock(&robot->time_lock);
    return ACH_OK;
}

double ach_driver_time(const ach_driver_t *driver)
{
    return ach_robot_time(driver->robot);
}

void dev_robot_rested(ach_robot_t *r)
{
    if (r->settling)
        pthread_cond_broadcast(&r->rested);
}

void dev_driver_follow(ach_driver_t *d, bool follow)
{
    ach_robot_t *r = d->robot;

    pthread_mutex_lock(&r->time_lock);
    d->wake_at = INFINITY;
    d->asleep = false;
    d->follows = follow;
    if (r->mover == d)
        r->mover = NULL;
    else if (r->mover)
        dev_driver_wake(r->mover);
    dev_robot_rested(r);
    pthread_mutex_unlock(&r->time_lock);
}

void dev_driver_fall_asleep(ach_driver_t *d, double until)
{
    ach_robot_t *r = d->robot;

    pthread_mutex_lock(&r->time_lock);
    d->wake_at = until;
    d->asleep = d->follows = true;
    if (until <= r->time)
        dev_driver_wake(d);
    if (r->mover && r->mover != d)
        dev_driver_wake(r->mover);
    dev_robot_rested(r);
    pthread_mutex_unlock(&r->time_lock);
}

void dev_driver_wake_up(ach_driver_t *d)
{
    pthread_mutex_lock(&d->robot->time_lock);
    d->wake_at = INFINITY;
    d->asleep = false;
    pthread_mutex_unlock(&d->robot->time_lock);
}
