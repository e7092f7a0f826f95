/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subscribe.c - who wants a device's data
 *
 * A subscription to a driver that is not set up waits in the driver's list until
 * its thread has done that. All of this is under the robot's lock.
 */
#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "queue.h"

static void count(struct achi_device *d, int more)
{
    __atomic_fetch_add(&d->n_subs, (unsigned)more, __ATOMIC_RELAXED);
    d->driver->subscriptions += (unsigned)more;
}

static void drop(struct achi_pending *p)
{
    achi_sub_destroy(p->sub);
    free(p->route);
    free(p);
}

/* Who keeps a driver on hears of a failure, and goes on waiting. */
static bool stays(const ach_driver_t *d, const struct achi_pending *p, ach_status_t status)
{
    return status != ACH_OK && p->sub->queue == d->keeper && !d->quit && !d->robot->attr.strict;
}

bool achi_pending_only_keeper(const ach_driver_t *d)
{
    return d->pending && d->pending->sub->queue == d->keeper && !d->pending->next;
}

void achi_pending_settle(ach_driver_t *d, ach_status_t status, const char *why)
{
    struct achi_pending **at = &d->pending, *p;

    while ((p = *at)) {
        if (stays(d, p, status)) {
            p->done(p->context, &p->device->address, status, why);
            at = &p->next;
            continue;
        }
        *at = p->next;
        if (status != ACH_OK)
            count(p->device, -1);
        p->done(p->context, &p->device->address, status, why);
        if (status == ACH_OK) {
            achi_sub_add(p->device, p->sub);
            p->sub = NULL;
        }
        drop(p);
    }
}

static ach_status_t enlist(struct achi_device *d, struct achi_sub *sub, ach_subscribed_t *done,
                           void *context)
{
    struct achi_pending *p = malloc(sizeof(*p)), **end = &d->driver->pending;

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

static ach_status_t subscribe(struct achi_device *d, ach_queue_t *queue, ach_subscribed_t *done,
                              void *context)
{
    ach_driver_t *driver = d->driver;
    ach_status_t status = achi_driver_begin(driver);
    struct achi_sub *sub;

    if (status != ACH_OK)
        return status;
    sub = achi_sub_create(queue);
    if (!sub)
        return ACH_FAILED_SYSCALL;
    if (driver->phase == ACHI_RUNNING && !driver->stop) {
        count(d, 1);
        done(context, &d->address, ACH_OK, "");
        achi_sub_add(d, sub);
        return ACH_OK;
    }
    status = enlist(d, sub, done, context);
    if (status != ACH_OK) {
        achi_sub_destroy(sub);
        return status;
    }
    count(d, 1);
    pthread_cond_broadcast(&driver->robot->changed);
    return ACH_OK;
}

ach_status_t ach_robot_subscribe(ach_robot_t *robot, const ach_address_t *address,
                                 ach_queue_t *queue, ach_subscribed_t *done, void *context)
{
    struct achi_device *d = achi_device_find(robot, address);
    char text[ACH_ADDRESS_MAX];
    ach_status_t status;

    if (!d)
        return ach_errstr_set(ACH_ENOENT, "there is no device %s", ach_address_text(address, text));
    status = achi_route_check(d);
    if (status != ACH_OK)
        return status;
    pthread_mutex_lock(&robot->lock);
    status = subscribe(d, queue, done, context);
    pthread_mutex_unlock(&robot->lock);
    return status;
}

/* The last one that was enlisted. */
static bool withdraw(struct achi_device *d, const ach_queue_t *queue)
{
    struct achi_pending **at, **found = NULL, *p;

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

/* Take a queue away from a device. remove: under the lock; false: the queue is not there. */
static ach_status_t leave(ach_robot_t *robot, const ach_address_t *address, ach_queue_t *queue,
                          bool (*remove)(struct achi_device *d, ach_queue_t *queue))
{
    struct achi_device *d = achi_device_find(robot, address);
    bool removed;

    if (!d)
        return ACH_ENOENT;
    pthread_mutex_lock(&robot->lock);
    removed = remove(d, queue);
    pthread_mutex_unlock(&robot->lock);
    return removed ? ACH_OK : ACH_ENOENT;
}

static bool remove_subscription(struct achi_device *d, ach_queue_t *queue)
{
    if (!withdraw(d, queue) && !achi_sub_remove(d, queue))
        return false;
    count(d, -1);
    if (d->driver->subscriptions == 0)
        achi_driver_stop(d->driver);
    return true;
}

ach_status_t ach_robot_unsubscribe(ach_robot_t *robot, const ach_address_t *address,
                                   ach_queue_t *queue)
{
    return leave(robot, address, queue, remove_subscription);
}

ach_status_t ach_robot_listen(ach_robot_t *robot, const ach_address_t *address, ach_queue_t *queue)
{
    struct achi_device *d = achi_device_find(robot, address);
    char text[ACH_ADDRESS_MAX];
    struct achi_sub *sub;

    if (!d)
        return ach_errstr_set(ACH_ENOENT, "there is no device %s", ach_address_text(address, text));
    sub = achi_sub_create(queue);
    if (!sub)
        return ACH_FAILED_SYSCALL;
    pthread_mutex_lock(&robot->lock);
    achi_sub_add(d, sub);
    pthread_mutex_unlock(&robot->lock);
    return ACH_OK;
}

ach_status_t ach_robot_unlisten(ach_robot_t *robot, const ach_address_t *address,
                                ach_queue_t *queue)
{
    return leave(robot, address, queue, achi_sub_remove);
}
