/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * status.h - the figures of a daemon, as JSON in a channel
 *
 * The channel achd-status.NUMBER belongs to the daemon that holds its source lock. NUMBER is the
 * port, or the process id if the daemon does not listen. If another channel has this name, it is
 * achd-status.NUMBER.RANDOM. If there is no memory for it, the daemon tries again with growing
 * pauses. New figures appear at most once per second, and only if something has changed, or if a
 * rate must return to zero.
 */
#ifndef RELAY_STATUS_H
#define RELAY_STATUS_H

#include "peer.h"

#define RELAY_STATUS_PREFIX "achd-status."

struct relay_status {
    unsigned number; /* the port, or the process id */
    char name[ACH_CHAN_NAME_MAX];
    ach_channel_t chan;
    bool open;
    uint64_t pause;        /* before the next attempt to create the channel; 0: the first one */
    unsigned metrics_port; /* 0: there is none */
    const struct relay_anticipation *anticipation;
    uint64_t last, next; /* times of the last one and the next one; last 0: none yet */
};

/* The channel is created by relay_status_put. */
void relay_status_init(struct relay_status *s, unsigned port);
void relay_status_finish(struct relay_status *s);
bool relay_status_due(const struct relay_status *s, uint64_t now);
uint64_t relay_status_deadline(const struct relay_status *s, bool changed);

/* True: a rate is not zero, so this must be called again, also if nothing changes. */
bool relay_status_put(struct relay_status *s, struct relay_peer *peers, struct relay_link *links,
                      uint64_t now);

#endif
