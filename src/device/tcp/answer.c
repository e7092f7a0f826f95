/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.c - answers of the server itself, and the addresses of devices that clients name */
#include <ach.h>

#include "session.h"
#include "wire.h"

/* Ignore the host and robot that a client names: it means the robot it is connected to. */
ach_address_t tcp_session_device(const struct tcp_session *s, unsigned interf, unsigned index)
{
    return (ach_address_t){.robot = s->robot, .interf = (uint16_t)interf, .index = (uint16_t)index};
}

void tcp_session_answer(struct tcp_session *s, const ach_header_t *request, uint8_t type,
                        const void *body)
{
    ach_header_t h = *request;
    ach_message_t *m;

    h.type = type;
    h.timestamp = ach_robot_time(s->server->robot);
    if (ach_message_create(&h, body, &m) != ACH_OK)
        return;
    ach_queue_push(s->queue, m);
    ach_message_unref(m);
}

void tcp_session_push_bytes(ach_queue_t *queue, const ach_header_t *request, uint8_t type,
                            uint8_t subtype, const unsigned char *bytes, size_t size)
{
    ach_header_t h = *request;
    ach_message_t *m;

    h.type = type;
    h.subtype = subtype;
    if (ach_message_wrap(&h, bytes, size, &m) != ACH_OK)
        return;
    ach_queue_push(queue, m);
    ach_message_unref(m);
}

void tcp_session_explain(ach_queue_t *queue, const ach_header_t *request, const char *why)
{
    unsigned char bytes[512];
    size_t size = tcp_wire_string(why, bytes, sizeof(bytes));

    tcp_session_push_bytes(queue, request, ACH_MSG_NACK, TCP_REQ_ROUTE, bytes, size);
}
