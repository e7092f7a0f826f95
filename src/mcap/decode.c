/* SPDX-License-Identifier: BSD-3-Clause */
#include "decode.h"

#include "bytes.h"
#include "crc32.h"

/* So many bytes; NULL: there are fewer. */
static const uint8_t *decode_take(struct mcap_cursor *c, uint64_t size)
{
    const uint8_t *at = c->at;

    if (c->bad || size > c->size) {
        c->bad = true;
        return NULL;
    }
    c->at += size;
    c->size -= (size_t)size;
    return at;
}

uint16_t mcap_take16(struct mcap_cursor *c)
{
    const uint8_t *at = decode_take(c, sizeof(uint16_t));

    return at ? mcap_load16(at) : 0;
}

uint32_t mcap_take32(struct mcap_cursor *c)
{
    const uint8_t *at = decode_take(c, sizeof(uint32_t));

    return at ? mcap_load32(at) : 0;
}

uint64_t mcap_take64(struct mcap_cursor *c)
{
    const uint8_t *at = decode_take(c, sizeof(uint64_t));

    return at ? mcap_load64(at) : 0;
}

struct mcap_cursor mcap_take_bytes(struct mcap_cursor *c, uint64_t size)
{
    const uint8_t *at = decode_take(c, size);

    return (struct mcap_cursor){.at = at, .size = at ? (size_t)size : 0, .bad = !at};
}

struct mcap_text mcap_take_text(struct mcap_cursor *c)
{
    struct mcap_cursor bytes = mcap_take_bytes(c, mcap_take32(c));

    return (struct mcap_text){.at = (const char *)bytes.at, .size = bytes.size};
}

bool mcap_take_record(struct mcap_cursor *c, struct mcap_record *record)
{
    const uint8_t *head;

    if (c->bad || c->size == 0)
        return false;
    head = decode_take(c, MCAP_RECORD_HEADER);
    if (!head)
        return false;
    record->opcode = head[0];
    record->content = mcap_take_bytes(c, mcap_load64(head + 1));
    return !c->bad;
}

bool mcap_decode_header(const struct mcap_record *record, struct mcap_text *profile,
                        struct mcap_text *library)
{
    struct mcap_cursor content = record->content;

    *profile = mcap_take_text(&content);
    *library = mcap_take_text(&content);
    return record->opcode == MCAP_HEADER && !content.bad;
}

bool mcap_decode_schema(struct mcap_cursor content, struct mcap_schema *schema)
{
    struct mcap_cursor data;

    schema->id = mcap_take16(&content);
    schema->name = mcap_take_text(&content);
    schema->encoding = mcap_take_text(&content);
    data = mcap_take_bytes(&content, mcap_take32(&content));
    schema->data = data.at;
    schema->size = data.size;
    return !content.bad;
}

bool mcap_decode_channel(struct mcap_cursor content, struct mcap_channel *channel,
                         struct mcap_cursor *metadata)
{
    channel->id = mcap_take16(&content);
    channel->schema = mcap_take16(&content);
    channel->topic = mcap_take_text(&content);
    channel->encoding = mcap_take_text(&content);
    *metadata = mcap_take_bytes(&content, mcap_take32(&content));
    channel->metadata = NULL;
    channel->metadata_count = 0;
    return !content.bad;
}

bool mcap_decode_pairs(struct mcap_cursor map, struct mcap_pair *pairs, size_t room, size_t *count)
{
    struct mcap_pair pair;

    for (*count = 0; map.size; ++*count) {
        pair.key = mcap_take_text(&map);
        pair.value = mcap_take_text(&map);
        if (map.bad)
            return false;
        if (*count < room)
            pairs[*count] = pair;
    }
    return true;
}

bool mcap_decode_message(struct mcap_cursor content, struct mcap_message *message)
{
    message->channel = mcap_take16(&content);
    message->sequence = mcap_take32(&content);
    message->log_time = mcap_take64(&content);
    message->publish_time = mcap_take64(&content);
    message->data = content.at;
    message->size = content.size;
    return !content.bad;
}

/* The checksum covers all before it. */
static bool decode_crc(const uint8_t *begin, struct mcap_cursor *content)
{
    size_t size = (size_t)(content->at - begin);
    uint32_t crc = mcap_take32(content);

    return !content->bad && (crc == 0 || crc == crc32_of(0, begin, size));
}

bool mcap_decode_attachment(struct mcap_cursor content, struct mcap_attachment *attachment)
{
    const uint8_t *begin = content.at;
    struct mcap_cursor data;

    attachment->log_time = mcap_take64(&content);
    attachment->create_time = mcap_take64(&content);
    attachment->name = mcap_take_text(&content);
    attachment->media_type = mcap_take_text(&content);
    data = mcap_take_bytes(&content, mcap_take64(&content));
    attachment->data = data.at;
    attachment->size = data.size;
    return !content.bad && decode_crc(begin, &content);
}

bool mcap_decode_metadata(struct mcap_cursor content, struct mcap_text *name,
                          struct mcap_cursor *metadata)
{
    *name = mcap_take_text(&content);
    *metadata = mcap_take_bytes(&content, mcap_take32(&content));
    return !content.bad;
}

bool mcap_decode_chunk(struct mcap_cursor content, struct mcap_packed *chunk)
{
    chunk->first = mcap_take64(&content);
    chunk->last = mcap_take64(&content);
    chunk->uncompressed = mcap_take64(&content);
    chunk->crc = mcap_take32(&content);
    chunk->compression = mcap_take_text(&content);
    chunk->records = mcap_take_bytes(&content, mcap_take64(&content));
    return !content.bad;
}

bool mcap_decode_chunk_index(struct mcap_cursor content, struct mcap_location *at,
                             struct mcap_cursor *places)
{
    at->first = mcap_take64(&content);
    at->last = mcap_take64(&content);
    at->offset = mcap_take64(&content);
    at->length = mcap_take64(&content);
    *places = mcap_take_bytes(&content, mcap_take32(&content));
    at->index_length = mcap_take64(&content);
    at->compression = mcap_take_text(&content);
    at->compressed = mcap_take64(&content);
    at->uncompressed = mcap_take64(&content);
    return !content.bad;
}

bool mcap_decode_message_index(struct mcap_cursor content, uint16_t *channel, size_t *messages)
{
    *channel = mcap_take16(&content);
    *messages = mcap_take_bytes(&content, mcap_take32(&content)).size / (2 * sizeof(uint64_t));
    return !content.bad;
}

bool mcap_decode_place(struct mcap_cursor content, uint64_t *offset, uint64_t *length)
{
    *offset = mcap_take64(&content);
    *length = mcap_take64(&content);
    return !content.bad;
}

bool mcap_decode_statistics(struct mcap_cursor content, struct mcap_statistics *statistics,
                            struct mcap_cursor *counts)
{
    statistics->messages = mcap_take64(&content);
    statistics->schemas = mcap_take16(&content);
    statistics->channels = mcap_take32(&content);
    statistics->attachments = mcap_take32(&content);
    statistics->metadata = mcap_take32(&content);
    statistics->chunks = mcap_take32(&content);
    statistics->first = mcap_take64(&content);
    statistics->last = mcap_take64(&content);
    *counts = mcap_take_bytes(&content, mcap_take32(&content));
    return !content.bad;
}
