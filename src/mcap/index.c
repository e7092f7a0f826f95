/* SPDX-License-Identifier: BSD-3-Clause */
#include "index.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32.h"

#define FOOTER_CONTENT (2 * sizeof(uint64_t) + sizeof(uint32_t))
#define FOOTER_SIZE (MCAP_RECORD_HEADER + FOOTER_CONTENT)
#define NO_MEMORY "there is no memory for the index"

static enum mcap_compression index_compression(struct mcap_text name)
{
    if (name.size == 3 && memcmp(name.at, "lz4", 3) == 0)
        return MCAP_LZ4;
    return name.size == 4 && memcmp(name.at, "zstd", 4) == 0 ? MCAP_ZSTD : MCAP_NONE;
}

/* The channels of a chunk are the keys of the map to the places of their indexes. */
static bool index_channels(struct mcap_index *x, struct mcap_cursor places)
{
    size_t n = places.size / (sizeof(uint16_t) + sizeof(uint64_t));
    uint16_t *channels = x->channels;

    if (x->n_channels + n > x->channels_room) {
        channels =
            mcap_array_grow(channels, &x->channels_room, x->n_channels + n, sizeof(*channels));
        if (!channels)
            return false;
        x->channels = channels;
    }
    for (; n; n--) {
        channels[x->n_channels++] = mcap_take16(&places);
        mcap_take64(&places);
    }
    return true;
}

static const char *index_chunk(struct mcap_index *x, struct mcap_cursor content)
{
    const size_t channels = x->n_channels;
    struct mcap_cursor places;
    struct mcap_location at;
    struct mcap_span *chunks;

    if (!mcap_decode_chunk_index(content, &at, &places))
        return "the index of a chunk is too short";
    if (!index_channels(x, places))
        return NO_MEMORY;
    if (x->count == x->room) {
        chunks = mcap_array_grow(x->chunks, &x->room, x->count + 1, sizeof(*chunks));
        if (!chunks)
            return NO_MEMORY;
        x->chunks = chunks;
    }
    x->chunks[x->count++] = (struct mcap_span){.place = {.offset = at.offset, .length = at.length},
                                               .first = at.first,
                                               .last = at.last,
                                               .compressed = at.compressed,
                                               .uncompressed = at.uncompressed,
                                               .compression = index_compression(at.compression),
                                               .channels = channels,
                                               .n_channels = x->n_channels - channels};
    return NULL;
}

static const char *index_place(struct mcap_places *p, struct mcap_cursor content)
{
    struct mcap_place *each;

    if (p->count == p->room) {
        each = mcap_array_grow(p->each, &p->room, p->count + 1, sizeof(*each));
        if (!each)
            return NO_MEMORY;
        p->each = each;
    }
    if (!mcap_decode_place(content, &p->each[p->count].offset, &p->each[p->count].length))
        return "the index of an attachment or of metadata is too short";
    p->count++;
    return NULL;
}

static const char *index_statistics(struct mcap_index *x, struct mcap_cursor content)
{
    struct mcap_cursor counts;
    uint16_t channel;

    if (!mcap_decode_statistics(content, &x->statistics, &counts))
        return "the statistics are too short";
    x->has_statistics = true;
    while (counts.size && !counts.bad) {
        channel = mcap_take16(&counts);
        if (channel >= x->counts_room &&
            !mcap_array_grow_zero(&x->counts, &x->counts_room, channel + 1u, sizeof(*x->counts)))
            return NO_MEMORY;
        x->counts[channel] = mcap_take64(&counts);
    }
    return counts.bad ? "the statistics are damaged" : NULL;
}

static const char *index_record(struct mcap_index *x, const struct mcap_record *record,
                                struct mcap_definitions *definitions)
{
    switch (record->opcode) {
    case MCAP_SCHEMA:
    case MCAP_CHANNEL:
        return mcap_definitions_add(definitions, record);
    case MCAP_CHUNK_INDEX:
        return index_chunk(x, record->content);
    case MCAP_ATTACHMENT_INDEX:
        return index_place(&x->attachments, record->content);
    case MCAP_METADATA_INDEX:
        return index_place(&x->metadata, record->content);
    case MCAP_STATISTICS:
        return index_statistics(x, record->content);
    default:
        return NULL;
    }
}

static int index_by_offset(const void *a, const void *b)
{
    const struct mcap_span *one = a, *other = b;

    return (one->place.offset > other->place.offset) - (one->place.offset < other->place.offset);
}

static int index_by_time(const void *a, const void *b)
{
    const struct mcap_span *one = a, *other = b;

    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return index_by_offset(a, b);
}

/* Chunks that share bytes would let a small file use any amount of memory. */
static bool index_apart(const struct mcap_index *x, uint64_t end)
{
    uint64_t offset = MCAP_MAGIC_SIZE;
    size_t i;

    for (i = 0; i < x->count; i++) {
        const struct mcap_place *p = &x->chunks[i].place;

        if (p->offset < offset || p->length < MCAP_RECORD_HEADER || p->offset > end ||
            p->length > end - p->offset)
            return false;
        offset = p->offset + p->length;
    }
    return true;
}

static const char *index_check(struct mcap_index *x, uint64_t summary)
{
    if (x->count)
        qsort(x->chunks, x->count, sizeof(*x->chunks), index_by_offset);
    if (!index_apart(x, summary))
        return "the index names chunks that cannot be there";
    if (x->count)
        qsort(x->chunks, x->count, sizeof(*x->chunks), index_by_time);
    if (x->has_statistics && x->count && x->count != x->statistics.chunks)
        return "the index does not have all chunks";
    return NULL;
}

static const char *index_records(struct mcap_index *x, struct mcap_cursor all,
                                 struct mcap_definitions *definitions)
{
    struct mcap_record record;
    const char *why = NULL;

    while (!why && mcap_take_record(&all, &record))
        why = index_record(x, &record, definitions);
    return why ? why : all.bad ? "the summary is damaged" : NULL;
}

/* All from the summary's beginning to the footer's checksum. */
static const char *index_summary(struct mcap_index *x, const struct mcap_source *source,
                                 uint64_t start, uint64_t size, uint32_t crc,
                                 struct mcap_definitions *definitions)
{
    struct mcap_cursor all = {.size = (size_t)size - (FOOTER_SIZE - sizeof(crc))};
    uint8_t *bytes = size > MCAP_RECORD_MAX ? NULL : malloc((size_t)size);
    const char *why = bytes ? NULL : NO_MEMORY;

    if (bytes && mcap_source_at(source, start, bytes, (size_t)size) != MCAP_READ)
        why = "the summary cannot be read";
    else if (bytes && crc && crc32_of(0, bytes, (size_t)size) != crc)
        why = "the checksum of the summary is wrong";
    all.at = bytes;
    if (!why)
        why = index_records(x, all, definitions);
    free(bytes);
    return why;
}

/* The footer and the magic. False: they are not there. */
static bool index_footer(const struct mcap_source *source, uint64_t *summary, uint32_t *crc)
{
    uint8_t bytes[FOOTER_SIZE + MCAP_MAGIC_SIZE];

    if (source->size < sizeof(bytes) + MCAP_MAGIC_SIZE ||
        mcap_source_at(source, source->size - sizeof(bytes), bytes, sizeof(bytes)) != MCAP_READ ||
        memcmp(bytes + FOOTER_SIZE, MCAP_MAGIC, MCAP_MAGIC_SIZE) != 0 || bytes[0] != MCAP_FOOTER ||
        mcap_load64(bytes + 1) != FOOTER_CONTENT)
        return false;
    *summary = mcap_load64(bytes + MCAP_RECORD_HEADER);
    *crc = mcap_load32(bytes + FOOTER_SIZE - sizeof(*crc));
    return true;
}

/* Nothing of it is used. */
static enum mcap_index_state index_damaged(struct mcap_index *x,
                                           struct mcap_definitions *definitions)
{
    const char *why = x->why;

    mcap_definitions_free(definitions);
    mcap_index_free(x);
    *definitions = (struct mcap_definitions){0};
    *x = (struct mcap_index){.why = why};
    return MCAP_INDEX_DAMAGED;
}

enum mcap_index_state mcap_index_read(struct mcap_index *x, const struct mcap_source *source,
                                      struct mcap_definitions *definitions)
{
    uint64_t summary, end;
    uint32_t crc;

    if (!index_footer(source, &summary, &crc))
        return MCAP_INDEX_CUT;
    if (summary == 0)
        return MCAP_INDEX_NONE;
    x->summary = summary;
    end = source->size - MCAP_MAGIC_SIZE - sizeof(crc);
    if (summary < MCAP_MAGIC_SIZE || summary > end - (FOOTER_SIZE - sizeof(crc)))
        x->why = "the summary cannot be where the footer says";
    else
        x->why = index_summary(x, source, summary, end - summary, crc, definitions);
    if (!x->why)
        x->why = index_check(x, summary);
    if (x->why)
        return index_damaged(x, definitions);
    return x->count || (x->has_statistics && x->statistics.messages == 0) ? MCAP_INDEX_WHOLE
                                                                          : MCAP_INDEX_NONE;
}

bool mcap_index_has(const struct mcap_index *x, const struct mcap_span *span, uint16_t channel)
{
    size_t i;

    for (i = 0; i < span->n_channels; i++)
        if (x->channels[span->channels + i] == channel)
            return true;
    return span->n_channels == 0;
}

void mcap_index_by_offset(struct mcap_index *x)
{
    if (x->count)
        qsort(x->chunks, x->count, sizeof(*x->chunks), index_by_offset);
}

void mcap_index_free(struct mcap_index *x)
{
    free(x->chunks);
    free(x->channels);
    free(x->attachments.each);
    free(x->metadata.each);
    free(x->counts);
}
