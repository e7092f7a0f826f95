/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample.h - recordings whose messages follow from a seed
 *
 * The sequence number of a message is its number in the recording, and says what everything else of it is. So each
 * message that a reader gives can be checked alone.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "reader.h"
#include "writer.h"

#define SAMPLE_SIZE_MAX 400

struct sample {
    uint64_t seed;
    uint64_t count;    /* messages */
    unsigned channels; /* which take turns */
    enum mcap_compression compression;
    size_t chunk_size;
    uint64_t flush; /* end a chunk after so many messages; 0: only by size */
    bool extras;    /* an attachment and metadata at the end */
};

/* Message number i; its data is in the buffer. */
void sample_message(const struct sample *s, uint64_t i, struct mcap_message *message,
                    uint8_t data[SAMPLE_SIZE_MAX]);

/* Is it exactly what its sequence number says? */
bool sample_same(const struct sample *s, const struct mcap_message *message);

struct mcap_writer *sample_begin(const struct sample *s, int fd);
bool sample_write_messages(const struct sample *s, struct mcap_writer *w, uint64_t from,
                           uint64_t to);

/* An attachment and metadata. */
void sample_extras(struct mcap_writer *w);

/* A whole file in memory. */
int sample_file(const struct sample *s);

/* The channel that a reader gives is the one that was written. */
bool sample_channel_same(const struct sample *s, const struct mcap_reader *r, uint16_t id);

/* Read until it ends; *count: messages, all the same and in order. */
enum mcap_result sample_read(const struct sample *s, struct mcap_reader *r, uint64_t *count);

/* A file with some bytes. */
int sample_memory(const void *data, size_t size);
void *sample_bytes(int fd, size_t *size);

#endif
