/* SPDX-License-Identifier: BSD-3-Clause */
/* robot.c - create, start and destroy a robot */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core.h"

static void init_locks(ach_robot_t *r)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &monotonic);
    pthread_cond_init(&r->rested, &monotonic);
    pthread_condattr_destroy(&monotonic);
    dev_log_init(r);
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->time_lock, NULL);
    pthread_mutex_init(&r->access.lock, NULL);
}

ach_status_t ach_robot_create(const ach_robot_attr_t *attr, ach_robot_t **robot)
{
    ach_robot_t *r = calloc(1, sizeof(*r));

    if (!r)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a robot");
    r->attr.level = ACH_LOG_WARNING;
    if (attr)
        memcpy(&r->attr, attr, attr->size < sizeof(r->attr) ? attr->size : sizeof(r->attr));
    if (!r->attr.robot)
        r->attr.robot = ACH_ROBOT_DEFAULT;
    init_locks(r);
    dev_route_identify(r);
    *robot = r;
    return ACH_OK;
}

uint32_t ach_robot_number(const ach_robot_t *robot)
{
    return robot->attr.robot;
}

uint32_t ach_driver_robot_number(const ach_driver_t *driver)
{
    return ach_robot_number(driver->robot);
}

/* Whether a driver that still runs requires a device of this one. */
static bool is_required(const ach_robot_t *robot, const ach_driver_t *driver)
{
    const struct dev_need *n;
    const ach_driver_t *d;

    for (d = robot->drivers; d; d = d->next)
        for (n = d->quit ? NULL : d->needs; n; n = n->next)
            if (n->device && n->device->driver == driver)
                return true;
    return false;
}

static ach_driver_t *next_to_quit(const ach_robot_t *robot)
{
    ach_driver_t *d, *any = NULL;

    for (d = robot->drivers; d; d = d->next) {
        if (d->quit)
            continue;
        if (!is_required(robot, d))
            return d;
        any = d;
    }
    return any;
}

/*
 * A driver's last command to a device that it requires must arrive: so a driver ends before
 * those that it requires, and all have ended before any is freed.
 */
void ach_robot_destroy(ach_robot_t *robot)
{
    ach_driver_t *d;

    if (!robot)
        return;
    while ((d = next_to_quit(robot)))
        dev_driver_quit(d);
    while ((d = robot->drivers)) {
        robot->drivers = d->next;
        dev_driver_destroy(d);
    }
    while (robot->devices) {
        struct dev_device *device = robot->devices;

        robot->devices = device->next;
        dev_device_destroy(device);
    }
    dev_classes_destroy(robot);
    ach_config_destroy(robot->config);
    dev_log_finish(robot);
    pthread_cond_destroy(&robot->changed);
    pthread_cond_destroy(&robot->rested);
    pthread_mutex_destroy(&robot->lock);
    pthread_mutex_destroy(&robot->time_lock);
    pthread_mutex_destroy(&robot->access.lock);
    free(robot);
}

static void always(void *context, const ach_address_t *address, ach_status_t status,
                   const char *why)
{
    ach_driver_t *d = context;

    (void)address;
    d->kept = true;
    d->kept_status = status;
    snprintf(d->kept_why, sizeof(d->kept_why), "%s", why);
    pthread_cond_broadcast(&d->robot->changed);
}

/* Keep a driver running: subscribe a queue that ignores all messages. */
static ach_status_t keep_on(ach_robot_t *robot, ach_driver_t *d)
{
    static const ach_rule_t ignore = {-1, -1, -1, -1, ACH_RULE_IGNORE};
    struct dev_device *device = dev_device_of(d);
    ach_queue_t *keeper = NULL;
    ach_status_t status;

    if (!device)
        return ach_errstr_set(ACH_EINVAL, "driver %s must always be on, but provides no device",
                              d->class->name);
    status = ach_queue_create(0, 0, NULL, NULL, &keeper);
    if (status == ACH_OK)
        status = ach_queue_rule(keeper, &ignore);
    pthread_mutex_lock(&robot->lock);
    d->keeper = keeper;
    pthread_mutex_unlock(&robot->lock);
    if (status == ACH_OK)
        status = ach_robot_subscribe(robot, &device->address, keeper, always, d);
    if (status != ACH_OK)
        return status;
    pthread_mutex_lock(&robot->lock);
    while (!d->kept)
        pthread_cond_wait(&robot->changed, &robot->lock);
    pthread_mutex_unlock(&robot->lock);
    if (d->kept_status != ACH_OK && robot->attr.strict)
        return ach_errstr_set(d->kept_status, "driver %s cannot be set up: %s", d->class->name,
                              d->kept_why);
    return ACH_OK;
}

ach_status_t ach_robot_start(ach_robot_t *robot)
{
    ach_status_t status = ACH_OK;
    ach_driver_t *d;

    for (d = robot->drivers; d && status == ACH_OK; d = d->next)
        if (d->alwayson)
            status = keep_on(robot, d);
    return status;
}
