/* SPDX-License-Identifier: BSD-3-Clause */
/* session_receive.c - commands and requests of clients to devices */
#include <ach.h>

#include "memory.h"
#include "wire.h"

static void refuse_command(struct tcp_session *s, const ach_address_t *device, const char *why)
{
    char text[ACH_ADDRESS_MAX];

    ach_queue_unhandled(s->queue, why);
    if (s->refused++ == 0)
        ach_robot_log(s->server->robot, ACH_LOG_WARNING,
                      "client %s: a command to %s is refused, and further ones are not logged: %s",
                      s->name, ach_address_text(device, text), why);
}

/* The NACK has the timestamp of the request, as the NACK of a driver has. */
static void refuse_request(struct tcp_session *s, const ach_header_t *h)
{
    ach_header_t answer = *h;
    ach_message_t *m;

    answer.type = ACH_MSG_NACK;
    if (ach_message_create(&answer, NULL, &m) != ACH_OK)
        return;
    ach_queue_push(s->queue, m);
    ach_message_unref(m);
}

static void refuse_for_rights(struct tcp_session *s, const ach_header_t *h, unsigned rights)
{
    char why[TCP_WHY];

    tcp_rights_why(s, &h->address, rights, why);
    tcp_rights_log(s, h->type == ACH_MSG_REQ ? "a request" : "a command", why);
    ach_errstr_set(ACH_EACCES, "%s", why);
    s->refused++; /* logged, so refuse_command does not log it again */
}

static void hand_over(struct tcp_session *s, const ach_header_t *header, const unsigned char *body,
                      size_t size)
{
    ach_header_t h = *header;
    bool request = h.type == ACH_MSG_REQ;
    ach_status_t status = ACH_EACCES;
    unsigned rights;

    h.address = tcp_session_device(s, h.address.interf, h.address.index);
    s->asking += request;
    tcp_memory_asked(s, &h);
    rights = tcp_subscription_rights(s, &h.address);
    if (!rights)
        ach_errstr_set(status, "it has not subscribed");
    else if (rights & tcp_wire_right(&h))
        status = ach_robot_deliver(s->server->robot, &h, body, size, s->queue);
    else
        refuse_for_rights(s, &h, rights);
    if (status != ACH_OK && request)
        refuse_request(s, &h);
    else if (status != ACH_OK)
        refuse_command(s, &h.address, ach_errstr());
}

void tcp_session_take(struct tcp_session *s, const ach_header_t *h, const unsigned char *body,
                      size_t size)
{
    if (s->trusted)
        tcp_session_know(s);
    if (h->type != ACH_MSG_CMD && h->type != ACH_MSG_REQ) {
        ach_robot_log(s->server->robot, ACH_LOG_WARNING,
                      "client %s is disconnected: it sent a message of type %u", s->name, h->type);
        tcp_session_close(s, "it does not speak the protocol");
    } else if (h->address.interf != ACH_PLAYER_CODE) {
        hand_over(s, h, body, size);
    } else if (h->type == ACH_MSG_REQ) {
        tcp_player_request(s, h, body, size);
    }
}
