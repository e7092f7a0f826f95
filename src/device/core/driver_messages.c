/* SPDX-License-Identifier: BSD-3-Clause */
/* driver_messages.c - drivers publish data, answer requests, and command other devices */
#include <ach.h>
#include <unistd.h>

#include "../../util/monotonic.h"
#include "core.h"
#include "message.h"

static struct dev_device *own(const ach_driver_t *driver, const ach_address_t *address)
{
    struct dev_device *d = dev_device_find(driver->robot, address);
    char text[ACH_ADDRESS_MAX];

    if (d && d->driver == driver)
        return d;
    ach_errstr_set(ACH_ENOENT, "driver %s does not provide %s", driver->class->name,
                   ach_address_text(address, text));
    return NULL;
}

static struct dev_device *needed(const ach_driver_t *driver, const ach_address_t *address)
{
    const struct dev_need *n = driver->needs;
    char text[ACH_ADDRESS_MAX];

    while (n && !ach_address_equal(&n->address, address))
        n = n->next;
    if (n)
        return n->device;
    ach_errstr_set(ACH_ENOENT, "driver %s does not require %s", driver->class->name,
                   ach_address_text(address, text));
    return NULL;
}

ach_status_t ach_driver_publish_at(ach_driver_t *driver, const ach_address_t *address,
                                   uint8_t subtype, const void *body, double timestamp)
{
    struct dev_device *d = own(driver, address);

    if (!d)
        return ACH_ENOENT;
    return dev_device_publish(d,
                              &(ach_header_t){.address = d->address,
                                              .type = ACH_MSG_DATA,
                                              .subtype = subtype,
                                              .timestamp = timestamp},
                              body);
}

ach_status_t ach_driver_publish(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body)
{
    return ach_driver_publish_at(driver, address, subtype, body, ach_driver_time(driver));
}

ach_status_t ach_driver_forward(ach_driver_t *driver, const ach_address_t *address,
                                const ach_message_t *message)
{
    struct dev_device *d = own(driver, address);
    ach_header_t h = *ach_message_header(message);
    ach_message_t *m;
    ach_status_t status;

    if (!d)
        return ACH_ENOENT;
    h.address = d->address;
    h.type = ACH_MSG_DATA;
    status = ach_message_again(message, &h, &m);
    if (status != ACH_OK)
        return status;
    dev_device_pass(d, m);
    ach_message_unref(m);
    return ACH_OK;
}

static ach_status_t answerable(const ach_message_t *request)
{
    if (ach_message_header(request)->type != ACH_MSG_REQ)
        return ach_errstr_set(ACH_EINVAL, "only requests are answered");
    if (!dev_message_claim(request))
        return ach_errstr_set(ACH_EEXIST, "the request is answered already");
    return ACH_OK;
}

ach_status_t ach_driver_reply(ach_driver_t *driver, const ach_message_t *request, uint8_t type,
                              const void *body)
{
    ach_message_t *with = NULL;
    ach_status_t status;

    if (type != ACH_MSG_ACK && type != ACH_MSG_NACK)
        return ach_errstr_set(ACH_EINVAL, "an answer must be an ACK or a NACK");
    status = ach_message_create(ach_message_header(request), body, &with);
    if (status == ACH_OK)
        status = answerable(request);
    if (status == ACH_OK)
        status = dev_message_answer(request, type, ach_driver_time(driver), with);
    ach_message_unref(with);
    return status;
}

ach_status_t ach_driver_relay(ach_driver_t *driver, const ach_message_t *request,
                              const ach_message_t *answer)
{
    uint8_t type = ach_message_header(answer)->type;
    ach_status_t status;

    (void)driver;
    if (type != ACH_MSG_ACK && type != ACH_MSG_NACK)
        return ach_errstr_set(ACH_EINVAL, "an answer must be an ACK or a NACK");
    status = answerable(request);
    return status == ACH_OK
               ? dev_message_answer(request, type, ach_message_header(answer)->timestamp, answer)
               : status;
}

/* Takes over the caller's reference. */
static ach_status_t driver_messages_hand_over(struct dev_device *d, ach_message_t *m,
                                              ach_queue_t *answers)
{
    ach_status_t status = ACH_OK;

    if (ach_message_header(m)->type == ACH_MSG_REQ)
        status = dev_message_expect(m, answers);
    if (status == ACH_OK)
        status = dev_robot_hand_over(d, m);
    ach_message_unref(m);
    return status;
}

static ach_status_t say(ach_driver_t *driver, const ach_address_t *address, ach_header_t *h,
                        const void *body, ach_queue_t *answers)
{
    struct dev_device *d = needed(driver, address);
    ach_message_t *m;
    ach_status_t status;

    if (!d)
        return ACH_ENOENT;
    h->address = d->address;
    h->timestamp = ach_driver_time(driver);
    status = ach_message_create(h, body, &m);
    return status == ACH_OK ? driver_messages_hand_over(d, m, answers) : status;
}

ach_status_t ach_driver_command(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body)
{
    ach_header_t h = {.type = ACH_MSG_CMD, .subtype = subtype};

    return say(driver, address, &h, body, NULL);
}

/*
 * The client whose command is passed on is told if it is not handled there. In the process of a
 * driver, the sequence tells the server which client that is.
 */
static void keep_sender(const ach_driver_t *driver, const ach_message_t *from, ach_message_t *to)
{
    if (to->header.type == ACH_MSG_CMD && from->answers && !driver->robot->outlet)
        dev_message_sent_by(to, from->answers);
}

ach_status_t ach_driver_send(ach_driver_t *driver, const ach_address_t *address,
                             const ach_message_t *message)
{
    struct dev_device *d = needed(driver, address);
    ach_header_t h = *ach_message_header(message);
    ach_message_t *m;
    ach_status_t status;

    if (!d)
        return ACH_ENOENT;
    if (h.type != ACH_MSG_CMD && h.type != ACH_MSG_REQ)
        return ach_errstr_set(ACH_EINVAL, "only commands and requests are sent to a device");
    h.address = d->address;
    status = ach_message_again(message, &h, &m);
    if (status != ACH_OK)
        return status;
    keep_sender(driver, message, m);
    return driver_messages_hand_over(d, m, driver->queue);
}

static void driver_messages_wake(void *driver)
{
    dev_driver_wake(driver);
}

/* The eventfd is shared with the driver's queue: signal it again, since it was cleared here. */
static ach_status_t driver_messages_await(ach_driver_t *driver, ach_queue_t *q, double timeout,
                                          ach_message_t **m)
{
    double until = monotonic_seconds() + timeout;
    ach_status_t status = ACH_OK;

    while (!(*m = ach_queue_pop(q)) && status == ACH_OK) {
        if (__atomic_load_n(&driver->stop, __ATOMIC_ACQUIRE))
            status = ach_errstr_set(ACH_CANCELED, "the driver was asked to stop");
        else if (monotonic_seconds() >= until)
            status = ach_errstr_set(ACH_TIMEOUT, "no answer within %g s", timeout);
        else
            dev_wakeup_wait(driver->eventfd, until);
        dev_wakeup_clear(driver->eventfd);
    }
    dev_driver_wake(driver);
    return status;
}

ach_status_t ach_driver_request(ach_driver_t *driver, const ach_address_t *address, uint8_t subtype,
                                const void *body, double timeout, ach_message_t **answer)
{
    ach_header_t h = {.type = ACH_MSG_REQ, .subtype = subtype};
    ach_message_t *m = NULL;
    ach_queue_t *q;
    ach_status_t status = ach_queue_create(0, 0, driver_messages_wake, driver, &q);

    if (status != ACH_OK)
        return status;
    status = say(driver, address, &h, body, q);
    if (status == ACH_OK)
        status = driver_messages_await(driver, q, timeout, &m);
    ach_queue_close(q);
    if (!m)
        return status;
    status = ach_message_header(m)->type == ACH_MSG_ACK ? ACH_OK : ACH_ENOTSUP;
    if (answer)
        *answer = m;
    else
        ach_message_unref(m);
    return status;
}
