/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlink.h - questions to the kernel
 *
 * The sockets stay open, so that a server can ask when it has no descriptors left. One thread at
 * a time.
 */
#ifndef ACHI_NETLINK_H
#define ACHI_NETLINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "end.h"

struct achi_netlink {
    int diag, route; /* -1: there are no such sockets here */
    uint32_t sequence;
};

enum achi_found {
    ACHI_FOUND,
    ACHI_NOT_FOUND,
    ACHI_CANNOT_TELL,
    ACHI_LACKING, /* descriptors or memory are: ask later */
};

/* What the failure of a system call means: ACHI_CANNOT_TELL or ACHI_LACKING. */
enum achi_found achi_netlink_failure(int error);

/* False: for want of descriptors or memory. */
bool achi_netlink_open(struct achi_netlink *n);
void achi_netlink_close(struct achi_netlink *n);

/* Who owns the connected socket at @end, with the other one at @other. */
enum achi_found achi_netlink_owner(struct achi_netlink *n, const struct achi_end *end,
                                   const struct achi_end *other, uid_t *uid);

/* Whether a unicast route leads from @source to @end, so to another machine. */
enum achi_found achi_netlink_remote(struct achi_netlink *n, const struct achi_end *end,
                                    const struct achi_end *source);

#endif
