/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h - how much clients make a server hold
 *
 * The option `memory` bounds what all clients together make the server hold, and
 * `client_memory` what one of them does: data and answers that it does not read, requests that
 * are not answered, subscriptions that wait for a driver, and messages of which only a part has
 * come.
 *
 *   - A client that does not read its answers is not read from. How large answers will be is
 *     estimated from those before, so that few are asked for at once if they are large.
 *   - Drivers' answers that are too large all the same are replaced by NACKs.
 *   - When half of the memory is used, the client that holds the most, and has for a while, is
 *     disconnected.
 *   - A client may hold as much as is left for the others: see ach_queue_limit.
 */
#ifndef ACHI_MEMORY_H
#define ACHI_MEMORY_H

#include "session.h"

void achi_memory_begin(struct achi_session *s);

/* Whether a session may take the next message of what it has received. */
bool achi_memory_may_take(struct achi_session *s);

/* Bytes that a session may receive now; 0: none, until others hold less. */
size_t achi_memory_may_receive(struct achi_session *s);

/* A message is on its way to a device, and an answer on its way back to the client. */
void achi_memory_asked(struct achi_session *s, const ach_header_t *h);
void achi_memory_answered(struct achi_session *s, const ach_message_t *m);

/* See to it that achi_memory_relieve is called, if there is a reason. */
void achi_memory_watch(struct achi_session *s);

/* Each tick: disconnect who holds too much, and let those go on that waited. */
void achi_memory_relieve(struct achi_server *server);

#endif
