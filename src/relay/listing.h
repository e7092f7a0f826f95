/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listing.h - the channels that a daemon advertises, as JSON in a channel
 *
 * Peers that cannot use mDNS pull the channel achd-channels.PORT, as any other. Its newest message:
 *     {"host": NAME, "version": ..., "transport": ..., "channels": [NAME, ...]}
 */
#ifndef RELAY_LISTING_H
#define RELAY_LISTING_H

#include "records.h"

#define RELAY_LISTING_PREFIX "achd-channels."

struct relay_listing {
    char name[ACH_CHAN_NAME_MAX];
    ach_channel_t chan;
    bool open;
    char *last; /* the newest message; NULL: none */
};

/* Without a channel after a failure, which is logged. */
void relay_listing_init(struct relay_listing *l, unsigned port);

/* Put the list if it has changed. */
void relay_listing_put(struct relay_listing *l, const struct relay_records *r);
void relay_listing_finish(struct relay_listing *l);

#endif
