/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.h - messages of a flow that this side receives */
#ifndef RELAY_RECEIVER_H
#define RELAY_RECEIVER_H

#include "link.h"

/* A part of a message. False: the channel that it belongs into was lost. */
bool relay_receiver_data(struct relay_flow *f, const struct relay_data *d);
bool relay_receiver_more(struct relay_flow *f, const struct relay_data *d);

/* Forget a message that has begun. */
void relay_receiver_drop(struct relay_flow *f);

#endif
