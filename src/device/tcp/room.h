/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * room.h - which client goes when there are too many
 *
 *   - With a secret: the oldest that has not shown it.
 *   - Otherwise the oldest of those whose user may do nothing here.
 *   - Else the account with the most connections loses one that has said nothing; or, if the new
 *     client's account has fewer, its newest.
 *   - The user of the server and root come in as long as anybody else has a connection.
 *   - Else the new client itself.
 */
#ifndef ACHI_ROOM_H
#define ACHI_ROOM_H

#include "session.h"

/* There may be one client too many. False: it is this one, which came last. */
bool achi_room_find(struct achi_session *newcomer);

/*
 * There are no more descriptors: disconnect the oldest client that has said nothing. Rights cannot be
 * looked up then, and the new client is not known.
 */
void achi_room_make(struct achi_server *server);

#endif
