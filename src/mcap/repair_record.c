/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "repair.h"

struct repair_mark mcap_repair_here(const struct mcap_repair *r)
{
    return (struct repair_mark){.offset = r->source.offset, .crc = r->source.crc};
}

void mcap_repair_settle(struct mcap_repair *r, bool indexed)
{
    struct repair_place place;
    size_t begin, at;

    if (!r->pending)
        return;
    r->at.index_length = indexed ? r->good.offset - r->chunk_end.offset : 0;
    begin = mcap_summary_chunk(&r->summary, &r->at);
    for (at = 0; indexed && at < r->places.size; at += sizeof(place)) {
        memcpy(&place, r->places.at + at, sizeof(place));
        mcap_summary_place(&r->summary, place.channel, place.offset);
    }
    mcap_summary_chunk_end(&r->summary, begin, &r->at);
    r->pending = false;
}

bool mcap_repair_indexed(const struct mcap_repair *r)
{
    return r->places.size / sizeof(struct repair_place) == r->entries.used_count;
}

static bool repair_entries(struct mcap_repair *r)
{
    struct mcap_message message;
    size_t i;

    mcap_chunk_clear(&r->entries);
    for (i = 0; i < r->chunk.count; i++) {
        mcap_unpacked_message(&r->chunk, i, &message);
        if (!mcap_chunk_entry(&r->entries, message.channel, message.log_time,
                              r->chunk.stamps[i].at))
            return false;
    }
    if (r->chunk.count)
        mcap_summary_times(&r->summary, r->entries.first, r->entries.last);
    for (i = 0; i < r->entries.used_count; i++) {
        uint16_t channel = r->entries.used[i];

        if (!mcap_summary_count(&r->summary, channel, r->entries.lists[channel].count))
            return false;
    }
    return true;
}

static int repair_compare(const void *offset, const void *span)
{
    uint64_t key = *(const uint64_t *)offset, at = ((const struct mcap_span *)span)->place.offset;

    return (key > at) - (key < at);
}

const struct mcap_span *mcap_repair_span(const struct mcap_repair *r, uint64_t offset)
{
    return r->index.count ? bsearch(&offset, r->index.chunks, r->index.count,
                                    sizeof(*r->index.chunks), repair_compare)
                          : NULL;
}

static void repair_match(struct mcap_repair *r)
{
    const struct mcap_span *span = mcap_repair_span(r, r->at.offset);

    if (span)
        r->matched[span - r->index.chunks] = true;
    if (r->state == MCAP_INDEX_WHOLE &&
        (!span || span->place.length != r->at.length ||
         (r->chunk.count && (r->at.first < span->first || r->at.last > span->last))))
        r->differs = true;
}

static const char *repair_chunk(struct mcap_repair *r, const struct mcap_record *record)
{
    struct mcap_cursor content = record->content;
    struct mcap_packed packed;
    const char *why;

    r->chunk.data.size = 0;
    r->at = (struct mcap_location){.first = 1};
    if (!mcap_decode_chunk(content, &packed))
        return "it is too short";
    r->at = (struct mcap_location){.first = packed.first,
                                   .last = packed.last,
                                   .offset = record->offset,
                                   .length = MCAP_RECORD_HEADER + content.size,
                                   .compressed = packed.records.size,
                                   .uncompressed = packed.uncompressed};
    /* The name is of no other method if the chunk can be unpacked. */
    r->at.compression = mcap_text(packed.compression.size == 0   ? ""
                                  : packed.compression.size == 3 ? "lz4"
                                                                 : "zstd");
    why = mcap_unpack(&r->chunk, &r->scan.content, &r->definitions);
    if (!why && !repair_entries(r))
        why = "there is no memory for its index";
    if (why)
        return why;
    r->at.first = r->chunk.count ? r->entries.first : 0;
    r->at.last = r->chunk.count ? r->entries.last : 0;
    r->places.size = 0;
    r->chunk_end = mcap_repair_here(r);
    r->pending = true;
    repair_match(r);
    return NULL;
}

/* The index of a channel behind the chunk. */
static const char *repair_message_index(struct mcap_repair *r, const struct mcap_record *record)
{
    struct repair_place place = {.offset = record->offset};
    struct mcap_list *list;
    size_t messages;

    if (!mcap_decode_message_index(record->content, &place.channel, &messages))
        return "it is too short";
    if (!r->pending) /* of a damaged chunk */
        return NULL;
    list = place.channel < r->entries.lists_room ? &r->entries.lists[place.channel] : NULL;
    if (!list || list->count != messages || list->indexed)
        return "it is not of the chunk before it";
    list->indexed = true;
    mcap_buffer_append(&r->places, &place, sizeof(place));
    return NULL;
}

static const char *repair_message(struct mcap_repair *r, const struct mcap_record *record)
{
    struct mcap_message m;

    if (r->state == MCAP_INDEX_WHOLE && r->index.count)
        return "readers that use the index cannot find it";
    if (!mcap_decode_message(record->content, &m) ||
        (!mcap_definitions_channel(&r->definitions, m.channel) &&
         !mcap_definitions_invent(&r->definitions, m.channel)))
        return "its channel is not defined before";
    r->loose = true;
    mcap_summary_times(&r->summary, m.log_time, m.log_time);
    return mcap_summary_count(&r->summary, m.channel, 1) ? NULL
                                                         : "there is no memory for its count";
}

static const char *repair_attachment(struct mcap_repair *r, const struct mcap_record *record)
{
    struct mcap_attachment a;

    if (!mcap_decode_attachment(record->content, &a))
        return "its checksum is wrong";
    mcap_summary_attachment(&r->summary, record->offset, MCAP_RECORD_HEADER + record->content.size,
                            &a);
    return NULL;
}

static const char *repair_metadata(struct mcap_repair *r, const struct mcap_record *record)
{
    struct mcap_cursor map;
    struct mcap_text name;
    size_t count;

    if (!mcap_decode_metadata(record->content, &name, &map) ||
        !mcap_decode_pairs(map, NULL, 0, &count))
        return "it is too short";
    mcap_summary_metadata(&r->summary, record->offset, MCAP_RECORD_HEADER + record->content.size,
                          name);
    return NULL;
}

const char *mcap_repair_record(struct mcap_repair *r, const struct mcap_record *record)
{
    r->unknown = record->opcode > MCAP_DATA_END ? record->offset : 0;
    if (record->opcode == MCAP_MESSAGE_INDEX)
        return repair_message_index(r, record);
    mcap_repair_settle(r, mcap_repair_indexed(r));
    switch (record->opcode) {
    case MCAP_CHUNK:
        return repair_chunk(r, record);
    case MCAP_SCHEMA:
    case MCAP_CHANNEL:
        return mcap_definitions_add(&r->definitions, record);
    case MCAP_MESSAGE:
        return repair_message(r, record);
    case MCAP_ATTACHMENT:
        return repair_attachment(r, record);
    case MCAP_METADATA:
        return repair_metadata(r, record);
    case MCAP_HEADER:
    case MCAP_STATISTICS:
    case MCAP_CHUNK_INDEX:
    case MCAP_ATTACHMENT_INDEX:
    case MCAP_METADATA_INDEX:
    case MCAP_SUMMARY_OFFSET:
        return "it does not belong there";
    default:
        return NULL;
    }
}
