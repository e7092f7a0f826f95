/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * encode.h - records as bytes
 *
 * Without memory the buffer's `failed` is set.
 */
#ifndef MCAP_ENCODE_H
#define MCAP_ENCODE_H

#include "buffer.h"
#include "mcap.h"

/* What precedes the data of a message: opcode, length, and the fixed fields. */
#define MCAP_MESSAGE_FIXED 22u

/* A record: begin, its fields, end. */
size_t mcap_record_begin(struct mcap_buffer *b, enum mcap_opcode opcode);
void mcap_record_end(struct mcap_buffer *b, size_t begin);

void mcap_put8(struct mcap_buffer *b, uint8_t value);
void mcap_put16(struct mcap_buffer *b, uint16_t value);
void mcap_put32(struct mcap_buffer *b, uint32_t value);
void mcap_put64(struct mcap_buffer *b, uint64_t value);

/* Bytes that are not UTF-8 become question marks. */
void mcap_put_text(struct mcap_buffer *b, struct mcap_text text);

/* As a map; EINVAL: two entries have one key, or it is too large. */
bool mcap_put_pairs(struct mcap_buffer *b, const struct mcap_pair *pairs, size_t count);

void mcap_encode_header(struct mcap_buffer *b, const char *profile, const char *library);
void mcap_encode_schema(struct mcap_buffer *b, const struct mcap_schema *schema);
bool mcap_encode_channel(struct mcap_buffer *b, const struct mcap_channel *channel);
void mcap_encode_message(struct mcap_buffer *b, const struct mcap_message *message);
bool mcap_encode_metadata(struct mcap_buffer *b, struct mcap_text name,
                          const struct mcap_pair *pairs, size_t count);

/* All but the data and the checksum behind it. */
void mcap_encode_attachment(struct mcap_buffer *b, const struct mcap_attachment *attachment);

#endif
