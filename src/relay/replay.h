/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.h - which of the last 1,024 counters were seen */
#ifndef RELAY_REPLAY_H
#define RELAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#define RELAY_REPLAY_BITS 1024u

struct relay_replay {
    uint64_t next; /* the highest counter that was seen, and 1 */
    uint64_t seen[RELAY_REPLAY_BITS / 64];
};

/* False: the counter was seen, or it is too old to tell. */
bool relay_replay_fresh(const struct relay_replay *r, uint64_t counter);

/* Only after the datagram was authenticated: a forged counter would hide true ones. */
void relay_replay_add(struct relay_replay *r, uint64_t counter);

#endif
