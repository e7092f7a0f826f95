/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.h - messages of a flow that this side receives */
#ifndef RELAY_RECEIVER_H
#define RELAY_RECEIVER_H

#include "link.h"

/*
 * A part of a message. With RELAY_PUT_LOST and RELAY_PUT_BUSY the message was not carried: the flow
 * must begin again.
 */
enum relay_put relay_receiver_data(struct relay_flow *f, const struct relay_data *d);
enum relay_put relay_receiver_more(struct relay_flow *f, const struct relay_data *d);

/* The sink of the flow has another channel now, or none: another flow may have noticed it first. */
bool relay_receiver_lost(const struct relay_flow *f);

/* Forget a message that has begun. */
void relay_receiver_drop(struct relay_flow *f);

#endif
