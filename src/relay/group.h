/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group.h - a channel that is sent to a multicast group
 *
 * A group reads the channel once, and sends each message once for all flows of this daemon that
 * send the channel in datagrams on the same interface. These flows are its members: they tell
 * their peers the group and its key. If a member leaves, the others get a new key.
 */
#ifndef RELAY_GROUP_H
#define RELAY_GROUP_H

#include "link.h"

/* Does this flow belong into a group? */
bool relay_group_wanted(const struct relay_flow *f);

/* Add the open flow to its group. False: ach_errstr. */
bool relay_group_join(struct relay_flow *f, uint64_t now);

/* It may be in none. */
void relay_group_leave(struct relay_flow *f);

/* Append the frame that tells the peer of a member the group and its key. */
void relay_group_tell(const struct relay_flow *f, struct relay_buffer *out);

void relay_groups_serve(struct relay_host *h, uint64_t now);
uint64_t relay_groups_deadline(const struct relay_host *h);
void relay_groups_finish(struct relay_host *h);

#endif
