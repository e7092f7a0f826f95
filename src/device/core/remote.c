/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * remote.c - a device of another server, as if it were one of ours
 *
 * A driver whose hardware is a link. It passes data on, sends commands and
 * requests there, and returns the answers; when the link is lost it connects
 * again, as long as somebody here is subscribed.
 */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../util/pending.h"
#include "core.h"
#include "message.h"
#include "network.h"
#include "queue.h"

#define CONNECT_SECONDS 5.0

/* Seconds for the other server's driver to handle the last commands. */
#define FLUSH_SECONDS 2.0

/* More than are sent between two confirmations, even if the other server is slow. */
#define SENT_MAX 4096u

/* Senders that are told of commands that the other server has not handled. */
#define TOLD_MAX 16u

/* Commands after which the driver itself asks whether they were handled. */
#define CONFIRM_EVERY 32u

/* Commands that were sent, and of which it is not known that they were handled. Numbers wrap. */
struct sent {
    ach_queue_t *senders[SENT_MAX]; /* at number % SENT_MAX; NULL: nobody counts it */
    uint32_t n;                     /* number of the next command */
    uint32_t confirmed;             /* number of the first that is not confirmed */
    uint32_t asked;                 /* sequence of the driver's own flush without an answer; or 0 */
    uint32_t flush_at[PENDING_MAX]; /* n when a flush was sent; at its sequence % PENDING_MAX */
    uint32_t unhandled;             /* commands that the other server has reported as such */
};

struct remote {
    ach_place_t place;
    ach_address_t address;
    const ach_transport_class_t *transport;
    ach_queue_t *queue; /* messages from the other server */
    ach_link_t *link;
    bool lost;
    struct pending_table pending;
    struct sent sent;
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

    r->transport = ach_transport_find(network_transport());
    if (!r->transport || !r->transport->connect)
        return ach_errstr_set(ACH_ENOTSUP, "this program has no TCP transport to reach %s",
                              *r->place.host ? r->place.host : "another server");
    status = ach_queue_create(0, 0, remote_wake, driver, &r->queue);
    if (status != ACH_OK)
        return status;
    status = r->transport->connect(&r->place, r->queue, CONNECT_SECONDS, &r->link);
    if (status != ACH_OK)
        ach_queue_close(r->queue);
    r->lost = false;
    return status;
}

/* All commands before that number are confirmed; or, if @why is not NULL, lost. */
static void sent_settle(struct sent *s, uint32_t until, const char *why)
{
    for (; (int32_t)(until - s->confirmed) > 0; s->confirmed++) {
        ach_queue_t **sender = &s->senders[s->confirmed % SENT_MAX];

        if (*sender && why)
            ach_queue_unhandled(*sender, why);
        if (*sender)
            dev_queue_unref(*sender);
        *sender = NULL;
    }
}

/*
 * The other server has not handled some of the commands that are not confirmed. It is unknown
 * which; so each of their senders is told, up to TOLD_MAX of them.
 */
static void sent_tell(const struct sent *s, uint32_t count, const char *why)
{
    const ach_queue_t *told[TOLD_MAX];
    uint32_t i, k, n, n_told = 0;

    for (i = s->confirmed; i != s->n && n_told < TOLD_MAX; i++) {
        ach_queue_t *sender = s->senders[i % SENT_MAX];

        for (k = 0; k < n_told && told[k] != sender; k++)
            ;
        if (!sender || k < n_told)
            continue;
        told[n_told++] = sender;
        for (n = 0; n < count && n < SENT_MAX; n++)
            ach_queue_unhandled(sender, why);
    }
}

static void sent_add(struct sent *s, ach_queue_t *sender)
{
    sent_settle(s, s->n - SENT_MAX + 1, NULL); /* make room */
    s->senders[s->n++ % SENT_MAX] = sender ? dev_queue_ref(sender) : NULL;
}

static void remote_shutdown(ach_driver_t *driver, void *state)
{
    ach_status_t status = ACH_OK;
    struct remote *r = state;

    if (r->sent.confirmed != r->sent.n && r->transport->flush)
        status = r->transport->flush(r->link, FLUSH_SECONDS);
    if (status != ACH_OK)
        ach_driver_log(driver, ACH_LOG_WARNING, "commands may be lost: %s", ach_errstr());
    r->sent.unhandled = 0;
    sent_settle(
        &r->sent, r->sent.n,
        status == ACH_OK || status == ACH_ENOTSUP ? NULL : "the connection to its server was lost");
    r->sent.asked = 0;
    r->transport->disconnect(r->link);
    ach_queue_close(r->queue);
    pending_release(&r->pending);
}

/* Clients may never flush. */
static void remote_confirm(struct remote *r)
{
    ach_header_t h = {.address = r->address, .type = ACH_MSG_REQ, .subtype = ACH_REQ_FLUSH};
    ach_message_t *m;

    if (r->sent.asked || r->sent.n - r->sent.confirmed < CONFIRM_EVERY)
        return;
    pending_next_slot(&r->pending);
    h.sequence = r->pending.sequence;
    if (ach_message_create(&h, NULL, &m) != ACH_OK)
        return;
    if (r->transport->send(r->link, m) == ACH_OK) {
        r->sent.asked = h.sequence;
        r->sent.flush_at[h.sequence % PENDING_MAX] = r->sent.n;
    }
    ach_message_unref(m);
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
    }
    if (status != ACH_OK && request)
        ach_message_unref(pending_take(&r->pending, h.sequence));
    if (status == ACH_OK && request && h.subtype == ACH_REQ_FLUSH)
        r->sent.flush_at[h.sequence % PENDING_MAX] = r->sent.n;
    if (status == ACH_OK && !request) {
        sent_add(&r->sent, message->answers);
        remote_confirm(r);
    }
    return status;
}

static void remote_flushed(ach_driver_t *driver, struct sent *s, const ach_message_t *answer)
{
    const ach_flush_t *body = ach_message_body(answer);
    const ach_header_t *h = ach_message_header(answer);
    const uint32_t at = s->flush_at[h->sequence % PENDING_MAX];
    char why[ACH_UNHANDLED_WHY];

    if (body && body->unhandled != s->unhandled) {
        snprintf(why, sizeof(why), "%.*s", (int)body->why_count, body->why);
        sent_tell(s, body->unhandled - s->unhandled, why);
        s->unhandled = body->unhandled;
        ach_driver_log(driver, ACH_LOG_WARNING, "the other server did not handle commands: %s",
                       why);
    }
    if (h->type == ACH_MSG_ACK)
        sent_settle(s, at, NULL);
    if (h->sequence == s->asked)
        s->asked = 0;
}

/* Some servers' drivers answer with sequence 0: then the oldest of the same subtype is meant. */
static void remote_answer(ach_driver_t *driver, struct remote *r, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_message_t *request;

    if (h->subtype == ACH_REQ_FLUSH && h->sequence)
        remote_flushed(driver, &r->sent, m);
    request = h->sequence ? pending_take(&r->pending, h->sequence)
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
