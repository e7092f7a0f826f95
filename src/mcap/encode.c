/* SPDX-License-Identifier: BSD-3-Clause */
#include "encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "utf8.h"

size_t mcap_record_begin(struct mcap_buffer *b, enum mcap_opcode opcode)
{
    size_t begin = b->size;

    mcap_put8(b, (uint8_t)opcode);
    mcap_put64(b, 0);
    return begin;
}

void mcap_record_end(struct mcap_buffer *b, size_t begin)
{
    if (!b->failed)
        mcap_store64(b->at + begin + 1, b->size - begin - MCAP_RECORD_HEADER);
}

void mcap_put8(struct mcap_buffer *b, uint8_t value)
{
    mcap_buffer_append(b, &value, sizeof(value));
}

void mcap_put16(struct mcap_buffer *b, uint16_t value)
{
    uint8_t bytes[sizeof(value)];

    mcap_store16(bytes, value);
    mcap_buffer_append(b, bytes, sizeof(bytes));
}

void mcap_put32(struct mcap_buffer *b, uint32_t value)
{
    uint8_t bytes[sizeof(value)];

    mcap_store32(bytes, value);
    mcap_buffer_append(b, bytes, sizeof(bytes));
}

void mcap_put64(struct mcap_buffer *b, uint64_t value)
{
    uint8_t bytes[sizeof(value)];

    mcap_store64(bytes, value);
    mcap_buffer_append(b, bytes, sizeof(bytes));
}

/* The same number of characters, and bytes, that are valid. */
static void encode_mend(char *text, size_t size)
{
    size_t n;

    for (; size; text += n, size -= n) {
        n = utf8_length(text, size);
        if (!n)
            *text = '?';
        n = n ? n : 1;
    }
}

void mcap_put_text(struct mcap_buffer *b, struct mcap_text text)
{
    size_t at;

    mcap_put32(b, (uint32_t)text.size);
    at = b->size;
    mcap_buffer_append(b, text.at, text.size);
    if (!b->failed)
        encode_mend((char *)b->at + at, text.size);
}

static int encode_compare(const void *a, const void *b)
{
    const struct mcap_text *one = a, *other = b;
    size_t n = one->size < other->size ? one->size : other->size;
    int r = n ? memcmp(one->at, other->at, n) : 0;

    return r ? r : (one->size > other->size) - (one->size < other->size);
}

static bool encode_unique(const struct mcap_pair *pairs, size_t count)
{
    struct mcap_text *keys = malloc(count * sizeof(*keys));
    bool unique = keys != NULL;
    size_t i;

    for (i = 0; keys && i < count; i++)
        keys[i] = pairs[i].key;
    if (keys)
        qsort(keys, count, sizeof(*keys), encode_compare);
    for (i = 1; unique && i < count; i++)
        unique = encode_compare(&keys[i - 1], &keys[i]) != 0;
    if (keys && !unique)
        errno = EINVAL;
    free(keys);
    return unique;
}

bool mcap_put_pairs(struct mcap_buffer *b, const struct mcap_pair *pairs, size_t count)
{
    size_t begin = b->size, i;

    if (count > 1 && !encode_unique(pairs, count))
        return false;
    mcap_put32(b, 0);
    for (i = 0; i < count; i++) {
        if (pairs[i].key.size + pairs[i].value.size > MCAP_DATA_MAX ||
            b->size - begin > MCAP_DATA_MAX) {
            errno = EINVAL;
            return false;
        }
        mcap_put_text(b, pairs[i].key);
        mcap_put_text(b, pairs[i].value);
    }
    if (!b->failed)
        mcap_store32(b->at + begin, (uint32_t)(b->size - begin - sizeof(uint32_t)));
    return true;
}

void mcap_encode_header(struct mcap_buffer *b, const char *profile, const char *library)
{
    size_t begin = mcap_record_begin(b, MCAP_HEADER);

    mcap_put_text(b, mcap_text(profile));
    mcap_put_text(b, mcap_text(library));
    mcap_record_end(b, begin);
}

void mcap_encode_schema(struct mcap_buffer *b, const struct mcap_schema *schema)
{
    size_t begin = mcap_record_begin(b, MCAP_SCHEMA);

    mcap_put16(b, schema->id);
    mcap_put_text(b, schema->name);
    mcap_put_text(b, schema->encoding);
    mcap_put32(b, (uint32_t)schema->size);
    mcap_buffer_append(b, schema->data, schema->size);
    mcap_record_end(b, begin);
}

bool mcap_encode_channel(struct mcap_buffer *b, const struct mcap_channel *channel)
{
    size_t begin = mcap_record_begin(b, MCAP_CHANNEL);

    mcap_put16(b, channel->id);
    mcap_put16(b, channel->schema);
    mcap_put_text(b, channel->topic);
    mcap_put_text(b, channel->encoding);
    if (!mcap_put_pairs(b, channel->metadata, channel->metadata_count))
        return false;
    mcap_record_end(b, begin);
    return true;
}

void mcap_encode_message(struct mcap_buffer *b, const struct mcap_message *message)
{
    uint8_t *at;

    if (!mcap_buffer_reserve(b, MCAP_RECORD_HEADER + MCAP_MESSAGE_FIXED + message->size))
        return;
    at = b->at + b->size;
    *at++ = MCAP_MESSAGE;
    at = mcap_store64(at, MCAP_MESSAGE_FIXED + message->size);
    at = mcap_store16(at, message->channel);
    at = mcap_store32(at, message->sequence);
    at = mcap_store64(at, message->log_time);
    at = mcap_store64(at, message->publish_time);
    if (message->size)
        memcpy(at, message->data, message->size);
    b->size = (size_t)(at - b->at) + message->size;
}

bool mcap_encode_metadata(struct mcap_buffer *b, struct mcap_text name,
                          const struct mcap_pair *pairs, size_t count)
{
    size_t begin = mcap_record_begin(b, MCAP_METADATA);

    mcap_put_text(b, name);
    if (!mcap_put_pairs(b, pairs, count))
        return false;
    mcap_record_end(b, begin);
    return true;
}

void mcap_encode_attachment(struct mcap_buffer *b, const struct mcap_attachment *attachment)
{
    size_t begin = mcap_record_begin(b, MCAP_ATTACHMENT);

    mcap_put64(b, attachment->log_time);
    mcap_put64(b, attachment->create_time);
    mcap_put_text(b, attachment->name);
    mcap_put_text(b, attachment->media_type);
    mcap_put64(b, attachment->size);
    if (!b->failed)
        mcap_store64(b->at + begin + 1,
                     b->size - begin - MCAP_RECORD_HEADER + attachment->size + sizeof(uint32_t));
}
