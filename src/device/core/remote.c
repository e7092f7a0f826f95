/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote.c - a device of another server, as if it were one of ours
 *
 * A driver whose hardware is a link. It passes data on, sends commands and
 * requests there, and returns the answers; when the link is lost it connects
 * again, as long as somebody here is subscribed.
 */
#include <ach.h>
#include <poll.h>
#include <stdlib.h>

#include "../../util/pending.h"
#include "core.h"
#include "message.h"

#define CONNECT_SECONDS 5.0

/* Seconds for the other server to receive the last commands. */
#define FLUSH_SECONDS 2.0

struct remote {
    ach_place_t place;
    ach_address_t address;
    const ach_transport_class_t *transport;
    ach_queue_t *queue; /* messages from the other server */
    ach_link_t *link;
    bool lost;
    bool commanded; /* a command was sent: flush before disconnect */
    struct pending_table pending;
};

static ach_status_t remote_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    (void)driver;
    (void)options;
    *state = calloc(1, sizeof(struct remote));
    return *state ? ACH_OK : ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a remote device");
}

void dev_remote_set(void *state, const ach_place_t *place, const ach_address_t *address)
{
    struct remote *r = state;

    r->place = *place;
    r->address = *address;
    if (!r->place.robot)
        r->place.robot = address->robot;
}

static void remote_destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    free(state);
}

static void remote_wake(void *driver)
{
    dev_driver_wake(driver);
}

static ach_status_t remote_setup(ach_driver_t *driver, void *state)
{
    struct remote *r = state;
    ach_status_t status;

    r->transport = ach_transport_find("tcp");
    if (!r->transport || !r->transport->connect)
        return ach_errstr_set(ACH_ENOTSUP, "this program has no TCP transport to reach %s",
                              *r->place.host ? r->place.host : "another server");
    status = ach_queue_create(0, 0, remote_wake, driver, &r->queue);
    if (status != ACH_OK)
        return status;
    status = r->transport->connect(&r->place, r->queue, CONNECT_SECONDS, &r->link);
    if (status != ACH_OK)
        ach_queue_close(r->queue);
    r->lost = r->commanded = false;
    return status;
}

static void remote_shutdown(ach_driver_t *driver, void *state)
{
    struct remote *r = state;

    if (r->commanded && r->transport->flush &&
        r->transport->flush(r->link, FLUSH_SECONDS) != ACH_OK)
        ach_driver_log(driver, ACH_LOG_WARNING, "commands may be lost: %s", ach_errstr());
    r->transport->disconnect(r->link);
    ach_queue_close(r->queue);
    pending_release(&r->pending);
}

static ach_status_t remote_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct remote *r = state;
    ach_header_t h = *ach_message_header(message);
    const bool request = h.type == ACH_MSG_REQ;
    ach_message_t *m;
    ach_status_t status;

    (void)driver;
    if (request)
        ach_message_unref(pending_add(&r->pending, message, &h.sequence));
    status = ach_message_again(message, &h, &m);
    if (status == ACH_OK) {
        status = r->transport->send(r->link, m);
        ach_message_unref(m);
        r->commanded |= h.type == ACH_MSG_CMD;
    }
    if (status != ACH_OK && request)
        ach_message_unref(pending_take(&r->pending, h.sequence));
    return status;
}

/* Some servers' drivers answer with sequence 0: then the oldest of the same subtype is meant. */
static void remote_answer(ach_driver_t *driver, struct remote *r, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_message_t *request = h->sequence ? pending_take(&r->pending, h->sequence)
                                         : pending_take_oldest(&r->pending, h->subtype);

    if (request)
        ach_driver_relay(driver, request, m);
    ach_message_unref(request);
}

static void remote_receive(ach_driver_t *driver, struct remote *r)
{
    ach_message_t *m;

    while ((m = ach_queue_pop(r->queue))) {
        uint8_t type = ach_message_header(m)->type;

        if (type == ACH_MSG_DATA)
            ach_driver_forward(driver, &r->address, m);
        else if (type == ACH_MSG_ACK || type == ACH_MSG_NACK)
            remote_answer(driver, r, m);
        else if (type == ACH_MSG_SYNCH && ach_message_header(m)->subtype == 0)
            r->lost = true;
        ach_message_unref(m);
    }
}

/* Ends when the link is lost; then the driver is set up again. */
static void remote_main(ach_driver_t *driver, void *state)
{
    struct remote *r = state;

    dev_driver_follow(driver, false); /* it sleeps here, not in ach_driver_wait */
    while (!r->lost && ach_driver_wait(driver, 0)) {
        remote_receive(driver, r);
        if (!r->lost && ach_queue_length(r->queue) == 0)
            dev_wakeup_wait(ach_driver_fd(driver), -1);
    }
}

const ach_driver_class_t dev_remote = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_TRANSPARENT,
    .name = "remote",
    .create = remote_create,
    .destroy = remote_destroy,
    .setup = remote_setup,
    .shutdown = remote_shutdown,
    .process = remote_process,
    .main = remote_main,
};
