/* SPDX-License-Identifier: BSD-3-Clause */
#include "definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"

/* The content of a record, and what it says. Texts and data point into the bytes. */
struct mcap_definition {
    size_t size;
    union {
        struct mcap_schema schema;
        struct mcap_channel channel;
    };
    struct mcap_pair *pairs;
    bool invented;
    uint8_t bytes[];
};

static void definitions_free(struct mcap_definition *n)
{
    if (n)
        free(n->pairs);
    free(n);
}

static void definitions_free_all(struct mcap_ids *ids)
{
    size_t i;

    for (i = 0; i < ids->room; i++)
        definitions_free(ids->each[i]);
    free(ids->each);
}

void mcap_definitions_free(struct mcap_definitions *d)
{
    definitions_free_all(&d->schemas);
    definitions_free_all(&d->channels);
}

static struct mcap_definition *definitions_find(const struct mcap_ids *ids, uint16_t id)
{
    return id < ids->room ? ids->each[id] : NULL;
}

static bool definitions_reserve(struct mcap_ids *ids, uint16_t id)
{
    return id < ids->room ||
           mcap_array_grow_zero(&ids->each, &ids->room, id + 1u, sizeof(*ids->each));
}

/* A definition that is there already must be the same. */
static const char *definitions_same(const struct mcap_definition *d, struct mcap_cursor content)
{
    bool same = d->size == content.size && memcmp(d->bytes, content.at, content.size) == 0;

    return same ? NULL : "a schema or channel is defined twice, and differently";
}

/* A copy of the content, and room for the id. */
static struct mcap_definition *definitions_copy(struct mcap_definitions *d, struct mcap_ids *ids,
                                                uint16_t id, struct mcap_cursor *content,
                                                const char **why)
{
    struct mcap_definition *n = NULL;

    if (content->size > MCAP_DEFINITIONS_MAX - d->bytes)
        *why = "its schemas and channels are too large";
    else {
        n = definitions_reserve(ids, id) ? calloc(1, sizeof(*n) + content->size) : NULL;
        *why = "there is no memory for its schemas and channels";
    }
    if (!n)
        return NULL;
    memcpy(n->bytes, content->at, content->size);
    n->size = content->size;
    content->at = n->bytes;
    d->bytes += content->size;
    return n;
}

static const char *definitions_schema(struct mcap_definitions *d, struct mcap_cursor content)
{
    struct mcap_schema schema;
    struct mcap_definition *n;
    const char *why;

    if (!mcap_decode_schema(content, &schema))
        return "a schema is too short";
    if (schema.id == 0)
        return NULL;
    n = definitions_find(&d->schemas, schema.id);
    if (n)
        return definitions_same(n, content);
    n = definitions_copy(d, &d->schemas, schema.id, &content, &why);
    if (!n)
        return why;
    mcap_decode_schema(content, &n->schema);
    d->schemas.each[schema.id] = n;
    return NULL;
}

static bool definitions_pairs(struct mcap_definition *n, struct mcap_cursor map)
{
    size_t count;

    if (!mcap_decode_pairs(map, NULL, 0, &count))
        return false;
    n->pairs = count ? calloc(count, sizeof(*n->pairs)) : NULL;
    if (count && !n->pairs)
        return false;
    mcap_decode_pairs(map, n->pairs, count, &count);
    n->channel.metadata = n->pairs;
    n->channel.metadata_count = count;
    return true;
}

static const char *definitions_channel(struct mcap_definitions *d, struct mcap_cursor content)
{
    struct mcap_channel channel;
    struct mcap_cursor map;
    struct mcap_definition *n;
    const char *why;

    if (!mcap_decode_channel(content, &channel, &map))
        return "a channel is too short";
    n = definitions_find(&d->channels, channel.id);
    if (n && n->invented) {
        d->channels.each[channel.id] = NULL;
        d->invented--;
        definitions_free(n);
    } else if (n)
        return definitions_same(n, content);
    n = definitions_copy(d, &d->channels, channel.id, &content, &why);
    if (!n)
        return why;
    mcap_decode_channel(content, &n->channel, &map);
    if (!definitions_pairs(n, map)) {
        free(n);
        return "the metadata of a channel is damaged, or there is no memory for it";
    }
    d->channels.each[channel.id] = n;
    return NULL;
}

const char *mcap_definitions_add(struct mcap_definitions *d, const struct mcap_record *record)
{
    return record->opcode == MCAP_SCHEMA ? definitions_schema(d, record->content)
                                         : definitions_channel(d, record->content);
}

static void definitions_guess(struct mcap_definitions *d, uint16_t id)
{
    struct mcap_definition *n = d->doubt ? definitions_find(&d->doubt->channels, id) : NULL,
                           *schema;

    if (!n)
        return;
    schema = definitions_find(&d->doubt->schemas, n->channel.schema);
    if (schema && !definitions_find(&d->schemas, schema->schema.id))
        definitions_schema(d, (struct mcap_cursor){.at = schema->bytes, .size = schema->size});
    definitions_channel(d, (struct mcap_cursor){.at = n->bytes, .size = n->size});
}

static void definitions_number(struct mcap_definitions *d, uint16_t id)
{
    struct mcap_channel channel = {.id = id, .encoding = mcap_text("")};
    struct mcap_buffer b = {0};
    char topic[32];

    snprintf(topic, sizeof(topic), "unknown-%u", id);
    channel.topic = mcap_text(topic);
    if (mcap_encode_channel(&b, &channel) && !b.failed)
        definitions_channel(d, (struct mcap_cursor){.at = b.at + MCAP_RECORD_HEADER,
                                                    .size = b.size - MCAP_RECORD_HEADER});
    mcap_buffer_free(&b);
}

bool mcap_definitions_invent(struct mcap_definitions *d, uint16_t id)
{
    struct mcap_definition *n;

    if (!d->invents)
        return false;
    definitions_guess(d, id);
    if (!definitions_find(&d->channels, id))
        definitions_number(d, id);
    n = definitions_find(&d->channels, id);
    if (!n)
        return false;
    n->invented = true;
    d->invented++;
    return true;
}

static uint32_t definitions_records(const struct mcap_ids *ids, enum mcap_opcode opcode,
                                    struct mcap_buffer *to)
{
    uint32_t count = 0;
    size_t i, begin;

    for (i = 0; i < ids->room; i++) {
        if (!ids->each[i])
            continue;
        begin = mcap_record_begin(to, opcode);
        mcap_buffer_append(to, ids->each[i]->bytes, ids->each[i]->size);
        mcap_record_end(to, begin);
        count++;
    }
    return count;
}

void mcap_definitions_collect(const struct mcap_definitions *d, struct mcap_summary *to)
{
    to->statistics.schemas = definitions_records(&d->schemas, MCAP_SCHEMA, &to->schemas);
    to->statistics.channels = definitions_records(&d->channels, MCAP_CHANNEL, &to->channels);
}

const struct mcap_schema *mcap_definitions_schema(const struct mcap_definitions *d, uint16_t id)
{
    const struct mcap_definition *n = definitions_find(&d->schemas, id);

    return n ? &n->schema : NULL;
}

const struct mcap_channel *mcap_definitions_channel(const struct mcap_definitions *d, uint16_t id)
{
    const struct mcap_definition *n = definitions_find(&d->channels, id);

    return n ? &n->channel : NULL;
}
