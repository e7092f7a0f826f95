/* SPDX-License-Identifier: BSD-3-Clause */
/* netlink.h - one question to the kernel */
#ifndef ACHI_NETLINK_H
#define ACHI_NETLINK_H

#include <sys/types.h>

#include "end.h"

/* ACHI_FOUND and its owner; or there is no such socket; or that cannot be told. */
enum achi_found { ACHI_FOUND, ACHI_NOT_FOUND, ACHI_CANNOT_TELL };

/* Who owns the connected socket at @end, with the other one at @other. */
enum achi_found achi_netlink_owner(const struct achi_end *end, const struct achi_end *other,
                                   uid_t *uid);

/* Whether an address is one of this machine's: ACHI_FOUND. */
enum achi_found achi_netlink_local(const struct achi_end *end);

#endif
