/* SPDX-License-Identifier: BSD-3-Clause */
/* deliver.c - commands and requests on their way to a driver */
#include <ach.h>
#include <ach/interface/common.h>

#include "core.h"
#include "message.h"
#include "queue.h"

static bool handles(const struct dev_device *d, const ach_capability_t *asked)
{
    unsigned i;

    for (i = 0; i < d->n_handled; i++)
        if (d->handled[i].type == asked->type && d->handled[i].subtype == asked->subtype)
            return true;
    return asked->type == ACH_MSG_REQ && asked->subtype == ACH_REQ_CAPABILITY;
}

static bool answered_here(struct dev_device *d, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    const ach_capability_t *asked;

    if (h->type != ACH_MSG_REQ)
        return false;
    if (dev_property_request(d, m))
        return true;
    if (h->subtype != ACH_REQ_CAPABILITY || d->remote)
        return false;
    asked = ach_message_body(m);
    if (d->driver->class->flags & ACH_DRIVER_TRANSPARENT && !(asked && handles(d, asked)))
        return false;
    if (dev_message_claim(m))
        dev_message_answer(m, asked && handles(d, asked) ? ACH_MSG_ACK : ACH_MSG_NACK, h->timestamp,
                           NULL);
    return true;
}

/* A flush is queued behind commands also when their driver stops. It is answered then, too. */
static bool accepts(const ach_driver_t *d, const ach_message_t *m)
{
    if (dev_message_is_flush(m))
        return d->phase == DEV_RUNNING || d->phase == DEV_STOPPING;
    return d->phase == DEV_RUNNING && !d->stop;
}

/*
 * driver->stop is set under robot->lock too. So an accepted message is in the queue before stop is
 * set, and the driver handles its queue before it stops.
 */
static ach_status_t deliver_push(struct dev_device *d, const ach_message_t *m)
{
    ach_robot_t *robot = d->driver->robot;
    ach_status_t status = ACH_CLOSED;

    pthread_mutex_lock(&robot->lock);
    if (accepts(d->driver, m))
        status = ach_queue_push(d->driver->queue, m);
    pthread_mutex_unlock(&robot->lock);
    if (status == ACH_OK && dev_driver_inline(d->driver))
        dev_inline_attend(d->driver);
    return status;
}

ach_status_t dev_driver_answer_flush(const ach_driver_t *driver, const ach_message_t *m)
{
    const bool passes_on = driver->class->flags & ACH_DRIVER_TRANSPARENT;
    const uint8_t type = passes_on && !driver->own_class ? ACH_MSG_NACK : ACH_MSG_ACK;

    if (!dev_message_claim(m))
        return ACH_OK;
    return dev_message_answer(m, type, ach_driver_time(driver), NULL);
}

/* On failure the request is claimed, so that no NACK is sent besides the returned error. */
ach_status_t dev_robot_hand_over(struct dev_device *d, const ach_message_t *m)
{
    char text[ACH_ADDRESS_MAX];
    ach_status_t status;

    if (answered_here(d, m))
        return ACH_OK;
    status = deliver_push(d, m);
    if (status == ACH_OK)
        return ACH_OK;
    if (status == ACH_CLOSED && dev_message_is_flush(m)) /* no command is in the driver's queue */
        return dev_driver_answer_flush(d->driver, m);
    dev_message_claim(m);
    return ach_errstr_set(status,
                          status == ACH_CLOSED ? "%s is not set up" : "the queue of %s is full",
                          ach_address_text(&d->address, text));
}

ach_status_t ach_robot_deliver(ach_robot_t *robot, const ach_header_t *header, const void *bytes,
                               size_t size, ach_queue_t *answers)
{
    struct dev_device *d = dev_device_find(robot, &header->address);
    ach_header_t h = *header;
    char text[ACH_ADDRESS_MAX];
    ach_message_t *m;
    ach_status_t status;

    if (!d)
        return ach_errstr_set(ACH_ENOENT, "there is no device %s",
                              ach_address_text(&header->address, text));
    if (h.type != ACH_MSG_CMD && h.type != ACH_MSG_REQ)
        return ach_errstr_set(ACH_EINVAL, "only commands and requests can be sent to a device");
    h.address = d->address;
    status = ach_message_wrap(&h, bytes, size, &m);
    if (status != ACH_OK)
        return status;
    status = ach_message_check(m);
    if (status == ACH_OK && answers && !dev_queue_count(answers, m))
        status = ach_errstr_set(ACH_OVERFLOW, "there is no memory left for its messages");
    if (status == ACH_OK && h.type == ACH_MSG_REQ)
        status = dev_message_expect(m, answers);
    else if (status == ACH_OK && answers)
        dev_message_sent_by(m, answers);
    if (status == ACH_OK)
        status = dev_robot_hand_over(d, m);
    ach_message_unref(m);
    return status;
}
