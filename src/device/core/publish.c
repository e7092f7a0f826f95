/* SPDX-License-Identifier: BSD-3-Clause */
/* publish.c - a device's data on its way to the subscribers */
#include <ach.h>

#include "core.h"

static void push_all(struct dev_device *d, const ach_message_t *m)
{
    struct dev_sub *s;

    for (s = d->subs; s; s = s->next)
        ach_queue_push(s->queue, m);
}

void dev_device_pass(struct dev_device *d, const ach_message_t *m)
{
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);

    pthread_mutex_lock(&d->lock);
    if (d->sink.body)
        d->sink.bytes(d->sink.context, ach_message_header(m), bytes, size);
    push_all(d, m);
    pthread_mutex_unlock(&d->lock);
    dev_inline_attend_all(d);
}

/* Without subscribers no message is created: the sink encodes the body itself, in place. */
static void pass_to_sink(struct dev_device *d, const ach_header_t *h, const void *body)
{
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(h->address.interf), h->type, h->subtype);

    pthread_mutex_lock(&d->lock);
    if (d->sink.body && body && def && def->body)
        d->sink.body(d->sink.context, h, def->body, body);
    else if (d->sink.body && !body)
        d->sink.bytes(d->sink.context, h, NULL, 0);
    pthread_mutex_unlock(&d->lock);
}

/* A message is encoded once, outside the lock, for the sink and for all subscribers. */
ach_status_t dev_device_publish(struct dev_device *d, const ach_header_t *h, const void *body)
{
    ach_status_t status;
    ach_message_t *m;

    if (__atomic_load_n(&d->n_subs, __ATOMIC_RELAXED) == 0) {
        pass_to_sink(d, h, body);
        return ACH_OK;
    }
    status = ach_message_create(h, body, &m);
    if (status != ACH_OK)
        return status;
    dev_device_pass(d, m);
    ach_message_unref(m);
    return ACH_OK;
}

ach_status_t ach_robot_sink(ach_robot_t *robot, const ach_address_t *address,
                            const ach_sink_t *sink_)
{
    struct dev_device *d = dev_device_find(robot, address);
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
