/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * origin.h - who is at the other end of a connection
 *
 * TCP carries no credentials, but the kernel knows which user made a socket of this machine.
 * A server asks for the client's end of the connection when it accepts it, and a client for the
 * server's before it shows a secret. A socket passed to another process keeps the user
 * who created it, as an open file does.
 *
 * An answer counts only if that end has an owner and is connected, and if our end is still
 * connected afterwards: a closed socket has no owner, which looks like root, and its port may
 * have been reused. While our end is connected, no other socket can have the same pair of ports.
 *
 * An end that the kernel knows is on this machine, whatever its address. An end that it does not
 * know is on another machine only if a unicast route leads to its address: users can have sockets
 * at local, anycast and other addresses of this machine.
 */
#ifndef TCP_ORIGIN_H
#define TCP_ORIGIN_H

#include <stdbool.h>
#include <sys/types.h>

#include "netlink.h"

/* As ACH_UID_UNKNOWN of ach/access.h. */
#define TCP_UID_UNKNOWN ((uid_t)-1)

struct tcp_origin {
    bool local; /* on this machine, at any of its addresses */
    uid_t uid;  /* of a local end; TCP_UID_UNKNOWN: not known */
};

/* Resources for tcp_origin_find. */
struct tcp_origins {
    struct tcp_netlink netlink;
    uid_t overflow;    /* overflowuid: all users not mapped in this user namespace ... */
    bool all_have_one; /* ... unless every user is mapped */
};

/* False: out of descriptors or memory. */
bool tcp_origins_open(struct tcp_origins *o);
void tcp_origins_close(struct tcp_origins *o);

/* Find the origin of the peer of a connected socket. False: out of descriptors or memory. */
bool tcp_origin_find(struct tcp_origins *o, int fd, struct tcp_origin *origin);

#endif
