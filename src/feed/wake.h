/* SPDX-License-Identifier: BSD-3-Clause */
/* wake.h - sleep on a channel that has no messages */
#ifndef FEED_WAKE_H
#define FEED_WAKE_H

#include "channel.h"

/*
 * Let a message make the feed's epoll readable. Then look once more, one may have come. False: for
 * this user the descriptor would need a thread that polls.
 */
bool feed_wake_arm(struct feed_common *f, struct feed_channel *c);

void feed_wake_disarm(struct feed_common *f, struct feed_channel *c);
void feed_wake_close(struct feed_common *f, struct feed_channel *c);

#endif
