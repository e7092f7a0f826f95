/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - the greeting before all messages, and requests that only our servers know */
#ifndef TCP_WIRE_H
#define TCP_WIRE_H

#include <ach/message.h>

#define TCP_GREETING_SIZE 32u
#define TCP_GREETING "Player v."
#define TCP_VERSION "3.1.0"

/* Limit of the body of a message from a stranger: enough for the secret. */
#define TCP_STRANGER_BODY 256u

/*
 * A request of the interface player that only our servers know: the route of the
 * subscription that follows, as a string. If that subscription fails, the reason
 * comes first, as a NACK of this request with a string.
 */
#define TCP_REQ_ROUTE 100u

/*
 * Sent to a client that has sent its route, if its rights to a device that it subscribes to are
 * limited: its rights as a number, of ACH_RIGHT_*, and a string that says why. It is
 * an ACK of this request, before the answer to the subscription.
 */
#define TCP_REQ_RIGHTS 101u

/* A string as the body of a message, with its NUL; the length of the bytes. */
size_t tcp_wire_string(const char *text, unsigned char *bytes, size_t room);

/* The string in a body; its text is cut to the room and has printable characters only. */
bool tcp_wire_text(const unsigned char *bytes, size_t size, char *text, size_t room);

/* The right, of ACH_RIGHT_*, that a command or request to a device needs. */
unsigned tcp_wire_right(const ach_header_t *h);

uint32_t tcp_wire_number(const unsigned char *from);
void tcp_wire_put(unsigned char *to, uint32_t number);

#endif
