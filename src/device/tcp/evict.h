/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * evict.h - which client to disconnect when there are too many
 *
 *   - With a secret: the oldest that has not sent it.
 *   - Otherwise the oldest client whose user has no rights here.
 *   - Else the account with the most connections loses a client that has sent nothing; or, if
 *     the new client's account has fewer, its newest client.
 *   - The server's user and root are admitted as long as any other user has a connection.
 *   - Else the new client is disconnected.
 */
#ifndef TCP_EVICT_H
#define TCP_EVICT_H

#include "session.h"

/* Disconnect a client if there is one too many. False: the new one must go. */
bool tcp_evict_find(struct tcp_session *newcomer);

/*
 * Out of descriptors: disconnect the oldest client that has sent nothing. Rights cannot be looked
 * up without descriptors, and the new client is not accepted yet.
 */
void tcp_evict_make(struct tcp_server *server);

#endif
