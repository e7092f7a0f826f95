/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlink.h - queries to the kernel
 *
 * The sockets stay open, so that a server can query without free descriptors. One thread at
 * a time.
 */
#ifndef TCP_NETLINK_H
#define TCP_NETLINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "endpoint.h"

struct tcp_netlink {
    int diag, route; /* -1: not supported here */
    uint32_t sequence;
};

enum tcp_found {
    TCP_FOUND,
    TCP_NOT_FOUND,
    TCP_CANNOT_TELL,
    TCP_LACKING, /* out of descriptors or memory: ask later */
};

/* What the failure of a system call means: TCP_CANNOT_TELL or TCP_LACKING. */
enum tcp_found tcp_netlink_failure(int error);

/* False: out of descriptors or memory. */
bool tcp_netlink_open(struct tcp_netlink *n);
void tcp_netlink_close(struct tcp_netlink *n);

/* The owner of the connected socket at @end whose peer is at @other. */
enum tcp_found tcp_netlink_owner(struct tcp_netlink *n, const struct tcp_endpoint *end,
                                 const struct tcp_endpoint *other, uid_t *uid);

/* Whether a unicast route leads from @source to @end, so to another machine. */
enum tcp_found tcp_netlink_remote(struct tcp_netlink *n, const struct tcp_endpoint *end,
                                  const struct tcp_endpoint *source);

#endif
