/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - the table of devices, and the subscribers of each */
#include <ach.h>
#include <stdlib.h>

#include "core.h"
#include "queue.h"

static bool same(const ach_robot_t *robot, const struct dev_device *d, const ach_address_t *a)
{
    uint32_t number = a->robot == robot->attr.robot && !a->host ? 0 : a->robot;

    return d->address.interf == a->interf && d->address.index == a->index &&
           d->address.robot == number && d->address.host == a->host;
}

struct dev_device *dev_device_find(const ach_robot_t *robot, const ach_address_t *address)
{
    struct dev_device *d = robot->devices;

    while (d && !same(robot, d, address))
        d = d->next;
    return d;
}

/* Append: devices are listed in the order of the config file. */
ach_status_t dev_device_add(ach_robot_t *robot, ach_driver_t *driver, const ach_address_t *address,
                            bool remote)
{
    struct dev_device *d = dev_device_find(robot, address), **end = &robot->devices;
    char text[ACH_ADDRESS_MAX];

    if (d && d->driver == driver)
        return ach_errstr_set(ACH_EEXIST, "driver %s provides %s twice", driver->class->name,
                              ach_address_text(address, text));
    if (d)
        return ach_errstr_set(ACH_EEXIST, "two drivers provide %s",
                              ach_address_text(address, text));
    d = calloc(1, sizeof(*d));
    if (!d)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a device");
    d->address = *address;
    d->driver = driver;
    d->remote = remote;
    pthread_mutex_init(&d->lock, NULL);
    while (*end)
        end = &(*end)->next;
    *end = d;
    robot->n_devices++;
    return ACH_OK;
}

struct dev_device *dev_device_of(const ach_driver_t *driver)
{
    struct dev_device *d = driver->robot->devices;

    while (d && d->driver != driver)
        d = d->next;
    return d;
}

void dev_device_destroy(struct dev_device *d)
{
    while (d->subs) {
        struct dev_sub *s = d->subs;

        d->subs = s->next;
        dev_sub_destroy(s);
    }
    pthread_mutex_destroy(&d->lock);
    free(d->handled);
    free(d);
}

static struct dev_sub **find_sub(struct dev_device *d, const ach_queue_t *queue)
{
    struct dev_sub **s = &d->subs;

    while (*s && (*s)->queue != queue)
        s = &(*s)->next;
    return s;
}

struct dev_sub *dev_sub_create(ach_queue_t *queue)
{
    struct dev_sub *s = malloc(sizeof(*s));

    if (!s) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a subscription");
        return NULL;
    }
    s->queue = dev_queue_ref(queue);
    s->count = 1;
    return s;
}

void dev_sub_destroy(struct dev_sub *s)
{
    if (!s)
        return;
    dev_queue_unref(s->queue);
    free(s);
}

void dev_sub_add(struct dev_device *d, struct dev_sub *s)
{
    struct dev_sub *same = *find_sub(d, s->queue);

    if (same) {
        same->count++;
        dev_sub_destroy(s);
        return;
    }
    pthread_mutex_lock(&d->lock);
    s->next = d->subs;
    d->subs = s;
    pthread_mutex_unlock(&d->lock);
}

bool dev_sub_remove(struct dev_device *d, ach_queue_t *queue)
{
    struct dev_sub **at = find_sub(d, queue), *s = *at;

    if (!s)
        return false;
    if (--s->count)
        return true;
    pthread_mutex_lock(&d->lock);
    *at = s->next;
    pthread_mutex_unlock(&d->lock);
    dev_sub_destroy(s);
    return true;
}

static void device_describe(const struct dev_device *d, ach_device_info_t *info)
{
    ach_device_info_t i = {.address = d->address, .remote = d->remote};
    size_t n = 0;

    while (n < sizeof(i.driver) - 1 && d->driver->class->name[n]) {
        i.driver[n] = d->driver->class->name[n];
        n++;
    }
    i.subscriptions = __atomic_load_n(&d->n_subs, __ATOMIC_RELAXED);
    *info = i;
}

size_t ach_robot_devices(const ach_robot_t *robot, ach_device_info_t *devices, size_t room)
{
    const struct dev_device *d;
    size_t n = 0;

    for (d = robot->devices; d; d = d->next, n++)
        if (n < room)
            device_describe(d, &devices[n]);
    return n;
}

ach_status_t ach_robot_find(const ach_robot_t *robot, const ach_address_t *address,
                            ach_device_info_t *info)
{
    const struct dev_device *d = dev_device_find(robot, address);

    if (!d)
        return ACH_ENOENT;
    if (info)
        device_describe(d, info);
    return ACH_OK;
}
