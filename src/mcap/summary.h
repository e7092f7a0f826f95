/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * summary.h - what is known of a file at its end: its definitions, indexes and statistics
 *
 * The writer and the repair collect it. Memory: the records as they will be written.
 */
#ifndef MCAP_SUMMARY_H
#define MCAP_SUMMARY_H

#include "buffer.h"
#include "mcap.h"
#include "sink.h"

struct mcap_summary {
    /* Records, a buffer for each opcode. */
    struct mcap_buffer schemas, channels, chunks, attachments, metadata;
    struct mcap_statistics statistics;
    uint64_t *counts; /* messages of each channel */
    size_t counts_room;
};

/* The location of a chunk, and of the indexes behind it. */
struct mcap_location {
    uint64_t first, last;
    uint64_t offset, length;
    struct mcap_text compression;
    uint64_t compressed, uncompressed;
    uint64_t index_length;
};

/* Add a chunk: begin, the place of the index of each of its channels, end. */
size_t mcap_summary_chunk(struct mcap_summary *s, const struct mcap_location *at);
void mcap_summary_place(struct mcap_summary *s, uint16_t channel, uint64_t offset);
void mcap_summary_chunk_end(struct mcap_summary *s, size_t begin, const struct mcap_location *at);

/* Forget the chunk that was added last. */
void mcap_summary_chunk_undo(struct mcap_summary *s, size_t begin);

/* The times of the earliest and the latest of some messages; then count them. False: there is no memory. */
void mcap_summary_times(struct mcap_summary *s, uint64_t first, uint64_t last);
bool mcap_summary_count(struct mcap_summary *s, uint16_t channel, uint64_t messages);

void mcap_summary_attachment(struct mcap_summary *s, uint64_t offset, uint64_t length,
                             const struct mcap_attachment *attachment);
void mcap_summary_metadata(struct mcap_summary *s, uint64_t offset, uint64_t length,
                           struct mcap_text name);

/* Write the end of the file. False: see errno. */
bool mcap_summary_write(struct mcap_summary *s, struct mcap_sink *sink);

void mcap_summary_free(struct mcap_summary *s);

#endif
