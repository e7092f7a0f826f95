/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge.h - messages by log time, from chunks whose times may overlap
 *
 * A chunk is opened when its first message may be the next one, and closed behind its last one. The open chunks are a heap
 * by their next messages. A chunk that is bad is left out, and the result is MCAP_BAD at the end.
 */
#ifndef MCAP_MERGE_H
#define MCAP_MERGE_H

#include "damage.h"
#include "index.h"
#include "unpacked.h"

struct mcap_merge {
    const struct mcap_index *index;
    const struct mcap_source *source;
    struct mcap_definitions *definitions;
    struct mcap_fault *fault;
    uint64_t from;               /* earlier messages are left out */
    size_t next;                 /* chunk to open */
    struct mcap_unpacked **open; /* the heap */
    size_t count, room;
    uint64_t bytes; /* of open chunks */
    struct mcap_unpacked *spare;
    struct mcap_buffer content;
    struct mcap_damage damage;
    uint64_t bad; /* chunks of the index, since the opening */
    bool given;   /* the first of the heap was given to the caller */
};

enum mcap_result mcap_merge_next(struct mcap_merge *m, struct mcap_message *message);

/* Continue with the first message that is not earlier. */
void mcap_merge_seek(struct mcap_merge *m, uint64_t from);
void mcap_merge_free(struct mcap_merge *m);

#endif
