/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode.h - records from bytes that are not trusted
 *
 * What is decoded points into the bytes. Fields behind those that are known are ignored. Each function
 * returns false if the bytes are no such record.
 */
#ifndef MCAP_DECODE_H
#define MCAP_DECODE_H

#include "mcap.h"
#include "summary.h"

/* The bytes that are left. */
struct mcap_cursor {
    const uint8_t *at;
    size_t size;
    bool bad; /* more was asked for than there is */
};

uint16_t mcap_take16(struct mcap_cursor *c);
uint32_t mcap_take32(struct mcap_cursor *c);
uint64_t mcap_take64(struct mcap_cursor *c);
struct mcap_text mcap_take_text(struct mcap_cursor *c);
struct mcap_cursor mcap_take_bytes(struct mcap_cursor *c, uint64_t size);

/* A record of any kind. */
struct mcap_record {
    uint8_t opcode;
    uint64_t offset; /* of its opcode */
    struct mcap_cursor content;
};

/* The next record of several. False: there is no whole one; then `bad` tells if something is left. */
bool mcap_take_record(struct mcap_cursor *c, struct mcap_record *record);

bool mcap_decode_header(const struct mcap_record *record, struct mcap_text *profile,
                        struct mcap_text *library);
bool mcap_decode_schema(struct mcap_cursor content, struct mcap_schema *schema);

/* The metadata as bytes, for mcap_decode_pairs. */
bool mcap_decode_channel(struct mcap_cursor content, struct mcap_channel *channel,
                         struct mcap_cursor *metadata);

/* The entries, if there is room for them; *count becomes their number in any case. */
bool mcap_decode_pairs(struct mcap_cursor map, struct mcap_pair *pairs, size_t room, size_t *count);

bool mcap_decode_message(struct mcap_cursor content, struct mcap_message *message);
bool mcap_decode_attachment(struct mcap_cursor content, struct mcap_attachment *attachment);
bool mcap_decode_metadata(struct mcap_cursor content, struct mcap_text *name,
                          struct mcap_cursor *metadata);

/* A chunk: its fields, and its records as they are stored. */
struct mcap_packed {
    uint64_t first, last, uncompressed;
    uint32_t crc;
    struct mcap_text compression;
    struct mcap_cursor records;
};

bool mcap_decode_chunk(struct mcap_cursor content, struct mcap_packed *chunk);
bool mcap_decode_chunk_index(struct mcap_cursor content, struct mcap_location *at,
                             struct mcap_cursor *places);

/* The channel, and the number of its messages. */
bool mcap_decode_message_index(struct mcap_cursor content, uint16_t *channel, size_t *messages);

/* Where it is said to be, of an index of attachments or metadata. */
bool mcap_decode_place(struct mcap_cursor content, uint64_t *offset, uint64_t *length);

/* counts: a map from channels to messages. */
bool mcap_decode_statistics(struct mcap_cursor content, struct mcap_statistics *statistics,
                            struct mcap_cursor *counts);

#endif
