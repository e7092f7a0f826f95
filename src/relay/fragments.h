/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fragments.h - one message made of parts that come in any order
 *
 * A part of a newer message ends the one that is incomplete. Parts of older messages are late and
 * ignored. So each message is complete at most once, in the order of sequences.
 */
#ifndef RELAY_FRAGMENTS_H
#define RELAY_FRAGMENTS_H

#include "wire.h"

struct relay_fragments {
    uint64_t seq; /* the newest message of which a part has come */
    bool done;    /* it was complete, or given up */
    uint32_t total;
    uint16_t unit;
    uint32_t missing; /* parts */
    unsigned char *bytes, *have;
    size_t room;
};

enum relay_fragments_result {
    RELAY_FRAGMENTS_MORE, /* the message is not complete */
    RELAY_FRAGMENTS_LATE, /* the part is of an older message, or was there already */
    RELAY_FRAGMENTS_WHOLE,
    RELAY_FRAGMENTS_FAILED /* no memory, or it contradicts other parts; the message is given up */
};

/*
 * WHOLE: *bytes is the message, until the next call. A message that is not to be stored counts as
 * whole with its first part, and *bytes is only that part.
 */
enum relay_fragments_result relay_fragments_add(struct relay_fragments *p,
                                                const struct relay_fragment *part, bool store,
                                                const unsigned char **bytes);

/* Free the memory of a message that is complete; the order of messages is kept. */
void relay_fragments_free(struct relay_fragments *p);

/* Forget everything. */
void relay_fragments_reset(struct relay_fragments *p);

#endif
