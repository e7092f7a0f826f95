/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk.h - messages that are written at once, and their indexes
 *
 * A message is copied once, and takes 24 bytes more until its chunk ends: the entries of a channel are a list, so
 * that no channel needs an array of its own.
 */
#ifndef MCAP_CHUNK_H
#define MCAP_CHUNK_H

#include "buffer.h"
#include "mcap.h"

/* An entry of the index. */
struct mcap_entry {
    uint64_t time, offset; /* in the records */
    uint32_t next;         /* of the same channel */
};

/* The messages of a channel in the chunk; none if count is 0. */
struct mcap_list {
    uint32_t head, tail, count;
    bool indexed; /* for the repair: its index has been found */
};

struct mcap_chunk {
    struct mcap_buffer records;
    struct mcap_entry *entries;
    size_t count, room;
    uint64_t first, last;    /* log times */
    struct mcap_list *lists; /* by channel */
    size_t lists_room;
    uint16_t *used; /* channels with messages, in the order of their first ones */
    size_t used_count, used_room;
};

/* False: there is no memory; then the chunk is as before. */
bool mcap_chunk_message(struct mcap_chunk *c, const struct mcap_message *message);

/* The same for a message that is elsewhere: only the entry of the index, for the record at this offset. */
bool mcap_chunk_entry(struct mcap_chunk *c, uint16_t channel, uint64_t time, uint64_t offset);

/* Append the index of a channel as a record. */
void mcap_chunk_index(const struct mcap_chunk *c, uint16_t channel, struct mcap_buffer *to);

/* Make it empty. */
void mcap_chunk_clear(struct mcap_chunk *c);
void mcap_chunk_free(struct mcap_chunk *c);

#endif
