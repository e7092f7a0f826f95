/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery.h - from the bytes of a channel to the messages of its topics */
#ifndef FEED_DELIVERY_H
#define FEED_DELIVERY_H

#include "channel.h"

/* Tell why a channel cannot be read, if that is new. */
void feed_channel_trouble(struct feed_common *f, struct feed_channel *c, const char *sentence);

/* Make the topics that a channel has before its first message. */
void feed_delivery_topics(struct feed_common *f, struct feed_channel *c);

/* Is the channel to be read? */
bool feed_channel_wanted(const struct feed_common *f, const struct feed_channel *c);

/* Hand out the message in the buffer. missed: right before it. */
void feed_deliver(struct feed_common *f, struct feed_channel *c, size_t size, uint64_t missed);

/* Where the translations of a device go; the message has its times. */
struct feed_delivery {
    struct feed_common *feed;
    struct feed_channel *channel;
    struct feed_message message;
};
struct feed_device_sink feed_delivery_sink(struct feed_delivery *d);

#endif
