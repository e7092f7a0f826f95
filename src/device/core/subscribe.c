/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subscribe.c - subscriptions to devices
 *
 * A subscription to a driver that is not set up stays in driver->pending until the
 * driver's thread has set it up. All of this is under the robot's lock.
 */
#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "queue.h"

static void subscribe_count(struct dev_device *d, int more)
{
    __atomic_fetch_add(&d->n_subs, (unsigned)more, __ATOMIC_RELAXED);
    d->driver->subscriptions += (unsigned)more;
    dev_driver_wake(d->driver); /* for ach_driver_wait_next */
}

unsigned ach_driver_subscriptions(const ach_driver_t *driver, const ach_address_t *address)
{
    const struct dev_device *d = dev_device_find(driver->robot, address);

    return d && d->driver == driver ? __atomic_load_n(&d->n_subs, __ATOMIC_RELAXED) : 0;
}

static void drop(struct dev_pending *p)
{
    dev_sub_destroy(p->sub);
    free(p->route);
    free(p);
}

/* The keeper's subscription is notified of a failure, but stays pending. */
static bool stays(const ach_driver_t *d, const struct dev_pending *p, ach_status_t status)
{
    return status != ACH_OK && p->sub->queue == d->keeper && !d->quit && !d->robot->attr.strict;
}

bool dev_pending_only_keeper(const ach_driver_t *d)
{
    return d->pending && d->pending->sub->queue == d->keeper && !d->pending->next;
}

void dev_pending_settle(ach_driver_t *d, ach_status_t status, const char *why)
{
    struct dev_pending **at = &d->pending, *p;

    while ((p = *at)) {
        if (stays(d, p, status)) {
            p->done(p->context, &p->device->address, status, why);
            at = &p->next;
            continue;
        }
        *at = p->next;
        if (status != ACH_OK)
            subscribe_count(p->device, -1);
        p->done(p->context, &p->device->address, status, why);
        if (status == ACH_OK) {
            dev_sub_add(p->device, p->sub);
            p->sub = NULL;
        }
        drop(p);
    }
}

static ach_status_t enlist(struct dev_device *d, struct dev_sub *sub, ach_subscribed_t *done,
                           void *context)
{
    struct dev_pending *p = malloc(sizeof(*p)), **end = &d->driver->pending;

    if (!p)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a subscription");
    p->next = NULL;
    p->device = d;
    p->sub = sub;
    p->done = done;
    p->context = context;
    p->route = *ach_route() ? strdup(ach_route()) : NULL;
    while (*end)
        end = &(*end)->next;
    *end = p;
    return ACH_OK;
}

static ach_status_t subscribe_subscribe(struct dev_device *d, ach_queue_t *queue,
                                        ach_subscribed_t *done, void *context)
{
    ach_driver_t *driver = d->driver;
    ach_status_t status = dev_driver_begin(driver);
    struct dev_sub *sub;

    if (status != ACH_OK)
        return status;
    sub = dev_sub_create(queue);
    if (!sub)
        return ACH_FAILED_SYSCALL;
    if (driver->phase == DEV_RUNNING && !driver->stop) {
        subscribe_count(d, 1);
        done(context, &d->address, ACH_OK, "");
        dev_sub_add(d, sub);
        return ACH_OK;
    }
    status = enlist(d, sub, done, context);
    if (status != ACH_OK) {
        dev_sub_destroy(sub);
        return status;
    }
    subscribe_count(d, 1);
    pthread_cond_broadcast(&driver->robot->changed);
    return ACH_OK;
}

ach_status_t ach_robot_subscribe(ach_robot_t *robot, const ach_address_t *address,
                                 ach_queue_t *queue, ach_subscribed_t *done, void *context)
{
    struct dev_device *d = dev_device_find(robot, address);
    char text[ACH_ADDRESS_MAX];
    ach_status_t status;

    if (!d)
        return ach_errstr_set(ACH_ENOENT, "there is no device %s", ach_address_text(address, text));
    status = dev_route_check(d);
    if (status != ACH_OK)
        return status;
    pthread_mutex_lock(&robot->lock);
    status = subscribe_subscribe(d, queue, done, context);
    pthread_mutex_unlock(&robot->lock);
    return status;
}

/* Cancel the newest pending subscription of this queue. */
static bool withdraw(struct dev_device *d, const ach_queue_t *queue)
{
    struct dev_pending **at, **found = NULL, *p;

    for (at = &d->driver->pending; *at; at = &(*at)->next)
        if ((*at)->device == d && (*at)->sub->queue == queue)
            found = at;
    if (!found)
        return false;
    p = *found;
    *found = p->next;
    p->done(p->context, &d->address, ACH_CANCELED, "the subscription was withdrawn");
    drop(p);
    return true;
}

/* Remove a queue from a device. remove runs under robot->lock; false: it is not subscribed. */
static ach_status_t subscribe_leave(ach_robot_t *robot, const ach_address_t *address,
                                    ach_queue_t *queue,
                                    bool (*remove)(struct dev_device *d, ach_queue_t *queue))
{
    struct dev_device *d = dev_device_find(robot, address);
    bool removed;

    if (!d)
        return ACH_ENOENT;
    pthread_mutex_lock(&robot->lock);
    removed = remove(d, queue);
    pthread_mutex_unlock(&robot->lock);
    return removed ? ACH_OK : ACH_ENOENT;
}

static bool remove_subscription(struct dev_device *d, ach_queue_t *queue)
{
    if (!withdraw(d, queue) && !dev_sub_remove(d, queue))
        return false;
    subscribe_count(d, -1);
    if (d->driver->subscriptions == 0)
        dev_driver_stop(d->driver);
    return true;
}

ach_status_t ach_robot_unsubscribe(ach_robot_t *robot, const ach_address_t *address,
                                   ach_queue_t *queue)
{
    return subscribe_leave(robot, address, queue, remove_subscription);
}

ach_status_t ach_robot_listen(ach_robot_t *robot, const ach_address_t *address, ach_queue_t *queue)
{
    struct dev_device *d = dev_device_find(robot, address);
    char text[ACH_ADDRESS_MAX];
    struct dev_sub *sub;

    if (!d)
        return ach_errstr_set(ACH_ENOENT, "there is no device %s", ach_address_text(address, text));
    sub = dev_sub_create(queue);
    if (!sub)
        return ACH_FAILED_SYSCALL;
    pthread_mutex_lock(&robot->lock);
    dev_sub_add(d, sub);
    pthread_mutex_unlock(&robot->lock);
    return ACH_OK;
}

ach_status_t ach_robot_unlisten(ach_robot_t *robot, const ach_address_t *address,
                                ach_queue_t *queue)
{
    return subscribe_leave(robot, address, queue, dev_sub_remove);
}
