/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * origin.h - where a client comes from
 *
 * TCP carries no credentials, but the kernel knows which user made a socket of this machine.
 * It is asked for the client's end of the connection when the connection is accepted; a socket
 * that is passed to another process stays its maker's, as an open file does.
 *
 * An answer counts only if that end has an owner and is connected, and if our end is still
 * connected afterwards: a closed socket has no owner, which looks like root, and its port may be
 * another one's by then. While our end is connected, nobody else can have the same pair of ports.
 */
#ifndef ACHI_ORIGIN_H
#define ACHI_ORIGIN_H

#include <stdbool.h>
#include <sys/types.h>

struct achi_origin {
    bool local; /* on this machine, at whichever of its addresses */
    uid_t uid;  /* of a local client; ACH_UID_UNKNOWN: it cannot be told */
};

/* Of the client behind a connected socket. */
struct achi_origin achi_origin_find(int fd);

#endif
