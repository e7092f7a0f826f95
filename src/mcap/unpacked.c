/* SPDX-License-Identifier: BSD-3-Clause */
#include "unpacked.h"

#include <stdlib.h>

#include "compress.h"
#include "crc32.h"
#include "reader.h"

#define UNPACKED_EMPTY 1024u /* a chunk that is empty, with fields that are not known */

static const char *unpacked_stamp(struct mcap_unpacked *u, const struct mcap_record *record,
                                  struct mcap_definitions *definitions)
{
    struct mcap_message message;
    struct mcap_stamp *stamps;

    if (!mcap_decode_message(record->content, &message))
        return "a message in it is too short";
    if (!mcap_definitions_channel(definitions, message.channel) &&
        !mcap_definitions_invent(definitions, message.channel)) {
        u->undefined++;
        return NULL;
    }
    if (u->count == u->room) {
        stamps = mcap_array_grow(u->stamps, &u->room, u->count + 1, sizeof(*stamps));
        if (!stamps)
            return "there is no memory for it";
        u->stamps = stamps;
    }
    u->stamps[u->count++] = (struct mcap_stamp){
        .time = message.log_time,
        .at = (size_t)(record->content.at - u->data.at) - MCAP_RECORD_HEADER,
    };
    return NULL;
}

static const char *unpacked_walk(struct mcap_unpacked *u, struct mcap_definitions *definitions)
{
    struct mcap_cursor all = u->data;
    struct mcap_record record;
    const char *why = NULL;

    u->count = u->next = u->undefined = 0;
    while (!why && mcap_take_record(&all, &record)) {
        if (record.opcode == MCAP_MESSAGE)
            why = unpacked_stamp(u, &record, definitions);
        else if (record.opcode == MCAP_SCHEMA || record.opcode == MCAP_CHANNEL)
            why = mcap_definitions_add(definitions, &record);
        else if (record.opcode == 0)
            why = "a record in it has no kind";
    }
    return why ? why : all.bad ? "its records are not whole" : NULL;
}

/* Uncompressed records stay where they are. */
static const char *unpacked_records(struct mcap_unpacked *u, struct mcap_buffer *content)
{
    const struct mcap_packed *p = &u->packed;
    struct mcap_buffer other = u->records;
    const char *why;

    if (p->uncompressed > MCAP_CHUNK_MAX)
        return "it is too large";
    if (p->compression.size == 0) {
        u->data = p->records;
        u->records = *content;
        *content = other;
        return p->records.size == p->uncompressed ? NULL : "it has another size than it says";
    }
    why = mcap_decompress(p->compression, p->records.at, p->records.size, (size_t)p->uncompressed,
                          &u->records);
    u->data = (struct mcap_cursor){.at = u->records.at, .size = u->records.size};
    return why;
}

const char *mcap_unpack(struct mcap_unpacked *u, struct mcap_buffer *content,
                        struct mcap_definitions *definitions)
{
    struct mcap_cursor bytes = {.at = content->at, .size = content->size};
    const char *why;

    u->data = (struct mcap_cursor){.size = 0};
    u->undefined = 0;
    if (!mcap_decode_chunk(bytes, &u->packed))
        return "it is too short";
    /* As if zeros had been written over its beginning. */
    if (u->packed.uncompressed == 0 && bytes.size > UNPACKED_EMPTY)
        return "it has bytes, and says that it is empty";
    why = unpacked_records(u, content);
    if (!why && u->packed.crc && crc32_of(0, u->data.at, u->data.size) != u->packed.crc)
        why = "its checksum is wrong";
    return why ? why : unpacked_walk(u, definitions);
}

void mcap_unpacked_salvage(const struct mcap_unpacked *u, struct mcap_definitions *definitions)
{
    struct mcap_cursor all = u->data;
    struct mcap_record record;

    while (mcap_take_record(&all, &record))
        if (record.opcode == MCAP_SCHEMA || record.opcode == MCAP_CHANNEL)
            mcap_definitions_add(definitions, &record);
}

static int unpacked_compare(const void *a, const void *b)
{
    const struct mcap_stamp *one = a, *other = b;

    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return (one->at > other->at) - (one->at < other->at);
}

void mcap_unpacked_sort(struct mcap_unpacked *u)
{
    size_t i;

    for (i = 1; i < u->count; i++) {
        if (u->stamps[i - 1].time > u->stamps[i].time) {
            qsort(u->stamps, u->count, sizeof(*u->stamps), unpacked_compare);
            return;
        }
    }
}

void mcap_unpacked_message(const struct mcap_unpacked *u, size_t i, struct mcap_message *message)
{
    struct mcap_cursor rest = {.at = u->data.at + u->stamps[i].at,
                               .size = u->data.size - u->stamps[i].at};
    struct mcap_record record;

    mcap_take_record(&rest, &record);
    mcap_decode_message(record.content, message);
}

void mcap_unpacked_free(struct mcap_unpacked *u)
{
    mcap_buffer_free(&u->records);
    free(u->stamps);
}
