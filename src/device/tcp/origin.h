/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * origin.h - who is at the other end of a connection
 *
 * TCP carries no credentials, but the kernel knows which user made a socket of this machine.
 * A server asks for the client's end of the connection when it accepts it, and a client for the
 * server's before it shows a secret. A socket that is passed to another process stays its maker's,
 * as an open file does.
 *
 * An answer counts only if that end has an owner and is connected, and if our end is still
 * connected afterwards: a closed socket has no owner, which looks like root, and its port may be
 * another one's by then. While our end is connected, nobody else can have the same pair of ports.
 *
 * An end that the kernel knows is on this machine, whatever its address. An end that it does not
 * know is on another machine only if a unicast route leads to its address: users can have sockets
 * at local, anycast and other addresses of this machine.
 */
#ifndef ACHI_ORIGIN_H
#define ACHI_ORIGIN_H

#include <stdbool.h>
#include <sys/types.h>

#include "netlink.h"

struct achi_origin {
    bool local; /* on this machine, at whichever of its addresses */
    uid_t uid;  /* of a local end; ACH_UID_UNKNOWN: it cannot be told */
};

/* How to find it out. */
struct achi_origins {
    struct achi_netlink netlink;
    uid_t overflow;    /* users without a number in this user namespace all have this one ... */
    bool all_have_one; /* ... unless there are no such users */
};

/* False: descriptors or memory are lacking. */
bool achi_origins_open(struct achi_origins *o);
void achi_origins_close(struct achi_origins *o);

/* Of the other end of a connected socket. False: as above. */
bool achi_origin_find(struct achi_origins *o, int fd, struct achi_origin *origin);

#endif
