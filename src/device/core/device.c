/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - the table of devices, and who gets their data */
#include <ach.h>
#include <stdlib.h>

#include "core.h"
#include "queue.h"

static bool same(const ach_robot_t *robot, const struct achi_device *d, const ach_address_t *a)
{
    uint32_t number = a->robot == robot->attr.robot && !a->host ? 0 : a->robot;

    return d->address.interf == a->interf && d->address.index == a->index &&
           d->address.robot == number && d->address.host == a->host;
}

struct achi_device *achi_device_find(const ach_robot_t *robot, const ach_address_t *address)
{
    struct achi_device *d = robot->devices;

    while (d && !same(robot, d, address))
        d = d->next;
    return d;
}

/* At the end: devices are listed in the order of the config file. */
ach_status_t achi_device_add(ach_robot_t *robot, ach_driver_t *driver, const ach_address_t *address,
                             bool remote)
{
    struct achi_device *d = achi_device_find(robot, address), **end = &robot->devices;
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

struct achi_device *achi_device_of(const ach_driver_t *driver)
{
    struct achi_device *d = driver->robot->devices;

    while (d && d->driver != driver)
        d = d->next;
    return d;
}

void achi_device_destroy(struct achi_device *d)
{
    while (d->subs) {
        struct achi_sub *s = d->subs;

        d->subs = s->next;
        achi_sub_destroy(s);
    }
    pthread_mutex_destroy(&d->lock);
    free(d->handled);
    free(d);
}

static void push_all(struct achi_device *d, const ach_message_t *m)
{
    struct achi_sub *s;

    for (s = d->subs; s; s = s->next)
        ach_queue_push(s->queue, m);
}

void achi_device_pass(struct achi_device *d, const ach_message_t *m)
{
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);

    pthread_mutex_lock(&d->lock);
    if (d->sink.body)
        d->sink.bytes(d->sink.context, ach_message_header(m), bytes, size);
    push_all(d, m);
    pthread_mutex_unlock(&d->lock);
    achi_inline_attend_all(d);
}

/* Whether anybody wants a message of it. */
static bool sink(struct achi_device *d, const ach_header_t *h, const void *body)
{
    const ach_message_def_t *def;

    if (!d->sink.body)
        return d->subs != NULL;
    def = ach_interface_message(ach_interface_by_code(h->address.interf), h->type, h->subtype);
    if (body && def && def->body)
        d->sink.body(d->sink.context, h, def->body, body);
    else if (!body)
        d->sink.bytes(d->sink.context, h, NULL, 0);
    return d->subs != NULL;
}

/* A message is made only if there is somebody to get it. */
ach_status_t achi_device_publish(struct achi_device *d, const ach_header_t *h, const void *body)
{
    ach_status_t status = ACH_OK;
    ach_message_t *m = NULL;

    pthread_mutex_lock(&d->lock);
    if (sink(d, h, body))
        status = ach_message_create(h, body, &m);
    if (m)
        push_all(d, m);
    pthread_mutex_unlock(&d->lock);
    achi_inline_attend_all(d);
    ach_message_unref(m);
    return status;
}

ach_status_t ach_robot_sink(ach_robot_t *robot, const ach_address_t *address,
                            const ach_sink_t *sink_)
{
    struct achi_device *d = achi_device_find(robot, address);
    ach_status_t status = ACH_OK;

    if (!d)
        return ACH_ENOENT;
    pthread_mutex_lock(&d->lock);
    if (!sink_)
        d->sink = (ach_sink_t){0};
    else if (d->sink.body)
        status = ach_errstr_set(ACH_EEXIST, "the device has a sink already");
    else
        d->sink = *sink_;
    pthread_mutex_unlock(&d->lock);
    return status;
}

static struct achi_sub **find_sub(struct achi_device *d, const ach_queue_t *queue)
{
    struct achi_sub **s = &d->subs;

    while (*s && (*s)->queue != queue)
        s = &(*s)->next;
    return s;
}

/* Without memory the subscriber gets no data, as if the queue were full. */
struct achi_sub *achi_sub_create(ach_queue_t *queue)
{
    struct achi_sub *s = malloc(sizeof(*s));

    if (!s) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a subscription");
        return NULL;
    }
    s->queue = achi_queue_ref(queue);
    s->count = 1;
    return s;
}

void achi_sub_destroy(struct achi_sub *s)
{
    if (!s)
        return;
    achi_queue_unref(s->queue);
    free(s);
}

void achi_sub_add(struct achi_device *d, struct achi_sub *s)
{
    struct achi_sub *same = *find_sub(d, s->queue);

    if (same) {
        same->count++;
        achi_sub_destroy(s);
        return;
    }
    pthread_mutex_lock(&d->lock);
    s->next = d->subs;
    d->subs = s;
    pthread_mutex_unlock(&d->lock);
}

bool achi_sub_remove(struct achi_device *d, ach_queue_t *queue)
{
    struct achi_sub **at = find_sub(d, queue), *s = *at;

    if (!s)
        return false;
    if (--s->count)
        return true;
    pthread_mutex_lock(&d->lock);
    *at = s->next;
    pthread_mutex_unlock(&d->lock);
    achi_sub_destroy(s);
    return true;
}

static void describe(const struct achi_device *d, ach_device_info_t *info)
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
    const struct achi_device *d;
    size_t n = 0;

    for (d = robot->devices; d; d = d->next, n++)
        if (n < room)
            describe(d, &devices[n]);
    return n;
}

ach_status_t ach_robot_find(const ach_robot_t *robot, const ach_address_t *address,
                            ach_device_info_t *info)
{
    const struct achi_device *d = achi_device_find(robot, address);

    if (!d)
        return ACH_ENOENT;
    if (info)
        describe(d, info);
    return ACH_OK;
}
