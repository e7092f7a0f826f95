/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h - limits of the memory that a server holds for its clients
 *
 * The option `memory` bounds the memory held for all clients together, and
 * `client_memory` that for one client: data and answers that it does not read, requests without
 * an answer, subscriptions that wait for a driver, and messages that are not complete
 * yet.
 *
 *   - Nothing is received from a client that does not read its answers. The size of answers is
 *     estimated from earlier ones, so that few requests with large answers are in progress.
 *   - Answers of drivers that still exceed the limit are replaced by NACKs.
 *   - When half of the memory is used, the client that has held the most for some time is
 *     disconnected.
 *   - A client never holds more than what is left of `memory`: see ach_queue_limit.
 */
#ifndef TCP_MEMORY_H
#define TCP_MEMORY_H

#include "session.h"

void tcp_memory_begin(struct tcp_session *s);

/* Whether the next received message of a session may be handled now. */
bool tcp_memory_may_take(struct tcp_session *s);

/* Bytes that a session may receive now; 0: none, until others hold less. */
size_t tcp_memory_may_receive(struct tcp_session *s);

/* Count a message that goes to a device, and an answer that goes back to the client. */
void tcp_memory_asked(struct tcp_session *s, const ach_header_t *h);
void tcp_memory_answered(struct tcp_session *s, const ach_message_t *m);

/* Start the tick, which calls tcp_memory_relieve, if memory is scarce. */
void tcp_memory_watch(struct tcp_session *s);

/* Each tick: disconnect clients that hold too much, and resume starved ones. */
void tcp_memory_relieve(struct tcp_server *server);

#endif
