/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - the greeting in front of all messages, and what only our servers say */
#ifndef ACHI_WIRE_H
#define ACHI_WIRE_H

#include <ach/message.h>

#define ACHI_GREETING_SIZE 32u
#define ACHI_GREETING "Player v."
#define ACHI_VERSION "3.1.0"

/* Bytes of a body that a stranger may send: it must show the secret before anything else. */
#define ACHI_STRANGER_BODY 256u

/*
 * A request of the interface player that only our servers know: the route of the
 * subscription that follows, as a string. If that subscription fails, the reason
 * comes first, as a NACK of this request with a string.
 */
#define ACHI_REQ_ROUTE 100u

/*
 * To a client that has told its route, if it may not do everything with a device that it
 * subscribes to: the number of its rights, of ACH_RIGHT_*, and a string that says why. It comes
 * as an ACK of this request, ahead of the answer to the subscription.
 */
#define ACHI_REQ_RIGHTS 101u

/* A string as the body of a message, with its NUL; the length of the bytes. */
size_t achi_wire_string(const char *text, unsigned char *bytes, size_t room);

/* The string in a body; its text is cut to the room and has printable characters only. */
bool achi_wire_text(const unsigned char *bytes, size_t size, char *text, size_t room);

uint32_t achi_wire_number(const unsigned char *from);
void achi_wire_put(unsigned char *to, uint32_t number);

#endif
