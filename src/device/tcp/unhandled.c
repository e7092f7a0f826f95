/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unhandled.c - commands that the server accepted from a socket, but no driver handles
 *
 * Commands have no answer. So they are counted, and a client of ours gets their number when it asks
 * whether its commands have arrived.
 */
#include <stdio.h>

#include "session.h"
#include "wire.h"

void tcp_unhandled_add(struct tcp_session *s, const char *why)
{
    s->unhandled.refused++;
    snprintf(s->unhandled.why, sizeof(s->unhandled.why), "%s", why);
}

/* Clients that do not send their route do not know this message. */
void tcp_unhandled_report(struct tcp_session *s, const ach_header_t *request)
{
    struct tcp_unhandled *n = &s->unhandled;
    ach_queue_usage_t u = {.size = sizeof(u)};
    unsigned char bytes[4 + 8 + TCP_WHY + 4];
    uint32_t later;
    size_t size;

    if (!s->route)
        return;
    ach_queue_usage(s->queue, &u);
    later = u.unhandled - n->unhandled;
    if (!n->refused && !later)
        return;
    tcp_wire_put(bytes, n->refused + later);
    size = tcp_wire_string(later ? u.unhandled_why : n->why, bytes + 4, sizeof(bytes) - 4);
    tcp_session_push_bytes(s->queue, request, ACH_MSG_ACK, TCP_REQ_UNHANDLED, bytes, size + 4);
    n->refused = 0;
    n->unhandled = u.unhandled;
}
