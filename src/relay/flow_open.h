/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_open.h - open and close flows of a link */
#ifndef RELAY_FLOW_OPEN_H
#define RELAY_FLOW_OPEN_H

#include "channel.h"
#include "link.h"

/* Add a flow to a link. False: the number is too large, or there is no memory. */
bool relay_flow_join(struct relay_flow *f, struct relay_link *l, unsigned number);

/* Close its channels and leave the queues of its link. */
void relay_flow_reset(struct relay_flow *f);

/* The side that asks: open the channel of this host, then the flow. */
void relay_flow_begin(struct relay_flow *f);

/* The frames OPEN, OPENED, and REFUSED or CLOSE have come. */
void relay_flow_asked(struct relay_flow *f, const struct relay_request *q,
                      const struct relay_terms *t, uint8_t generation);
void relay_flow_answered(struct relay_flow *f, const struct relay_terms *t, uint8_t generation);
void relay_flow_refused(struct relay_flow *f, enum ach_status status, const char *text);

/* Close it on both sides. */
void relay_flow_fail(struct relay_flow *f, enum ach_status status, const char *why);

/* The channel of this host was removed or replaced. */
void relay_flow_lost(struct relay_flow *f);

/* Another process holds the lock of the channel: begin again later, after the last message put. */
void relay_flow_busy(struct relay_flow *f);

/* Close it, and tell the peer why. If this side asks, it asks again later. */
void relay_flow_end(struct relay_flow *f);

/* End it if the lists do not allow it any more. */
void relay_flow_check(struct relay_flow *f);

/* A channel of that name has appeared or vanished. */
void relay_flow_notice(struct relay_flow *f);

/* Its time has come. */
void relay_flow_tick(struct relay_flow *f);

/* Append the frame that its state requires. */
void relay_flow_control(struct relay_flow *f, struct relay_buffer *out);

#endif
