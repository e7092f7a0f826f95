/* SPDX-License-Identifier: BSD-3-Clause */
#include "summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "crc32.h"
#include "encode.h"

/* From the beginning of a chunk index to the length of the map in it. */
#define SUMMARY_MAP (MCAP_RECORD_HEADER + 4 * sizeof(uint64_t))

size_t mcap_summary_chunk(struct mcap_summary *s, const struct mcap_location *at)
{
    size_t begin = mcap_record_begin(&s->chunks, MCAP_CHUNK_INDEX);

    mcap_put64(&s->chunks, at->first);
    mcap_put64(&s->chunks, at->last);
    mcap_put64(&s->chunks, at->offset);
    mcap_put64(&s->chunks, at->length);
    mcap_put32(&s->chunks, 0);
    return begin;
}

void mcap_summary_place(struct mcap_summary *s, uint16_t channel, uint64_t offset)
{
    mcap_put16(&s->chunks, channel);
    mcap_put64(&s->chunks, offset);
}

void mcap_summary_chunk_end(struct mcap_summary *s, size_t begin, const struct mcap_location *at)
{
    struct mcap_buffer *b = &s->chunks;

    if (!b->failed)
        mcap_store32(b->at + begin + SUMMARY_MAP,
                     (uint32_t)(b->size - begin - SUMMARY_MAP - sizeof(uint32_t)));
    mcap_put64(b, at->index_length);
    mcap_put_text(b, at->compression);
    mcap_put64(b, at->compressed);
    mcap_put64(b, at->uncompressed);
    mcap_record_end(b, begin);
    s->statistics.chunks++;
}

void mcap_summary_chunk_undo(struct mcap_summary *s, size_t begin)
{
    s->chunks.size = begin;
    s->statistics.chunks--;
}

bool mcap_summary_count(struct mcap_summary *s, uint16_t channel, uint64_t messages)
{
    if (channel >= s->counts_room &&
        !mcap_array_grow_zero(&s->counts, &s->counts_room, channel + 1u, sizeof(*s->counts)))
        return false;
    s->counts[channel] += messages;
    s->statistics.messages += messages;
    return true;
}

void mcap_summary_times(struct mcap_summary *s, uint64_t first, uint64_t last)
{
    struct mcap_statistics *t = &s->statistics;

    if (t->messages == 0 || first < t->first)
        t->first = first;
    if (t->messages == 0 || last > t->last)
        t->last = last;
}

void mcap_summary_attachment(struct mcap_summary *s, uint64_t offset, uint64_t length,
                             const struct mcap_attachment *attachment)
{
    size_t begin = mcap_record_begin(&s->attachments, MCAP_ATTACHMENT_INDEX);

    mcap_put64(&s->attachments, offset);
    mcap_put64(&s->attachments, length);
    mcap_put64(&s->attachments, attachment->log_time);
    mcap_put64(&s->attachments, attachment->create_time);
    mcap_put64(&s->attachments, attachment->size);
    mcap_put_text(&s->attachments, attachment->name);
    mcap_put_text(&s->attachments, attachment->media_type);
    mcap_record_end(&s->attachments, begin);
    s->statistics.attachments++;
}

void mcap_summary_metadata(struct mcap_summary *s, uint64_t offset, uint64_t length,
                           struct mcap_text name)
{
    size_t begin = mcap_record_begin(&s->metadata, MCAP_METADATA_INDEX);

    mcap_put64(&s->metadata, offset);
    mcap_put64(&s->metadata, length);
    mcap_put_text(&s->metadata, name);
    mcap_record_end(&s->metadata, begin);
    s->statistics.metadata++;
}

static void summary_statistics(const struct mcap_summary *s, struct mcap_buffer *b)
{
    size_t begin = mcap_record_begin(b, MCAP_STATISTICS), i, map;

    mcap_put64(b, s->statistics.messages);
    mcap_put16(b, (uint16_t)s->statistics.schemas);
    mcap_put32(b, s->statistics.channels);
    mcap_put32(b, s->statistics.attachments);
    mcap_put32(b, s->statistics.metadata);
    mcap_put32(b, s->statistics.chunks);
    mcap_put64(b, s->statistics.first);
    mcap_put64(b, s->statistics.last);
    map = b->size;
    mcap_put32(b, 0);
    for (i = 0; i < s->counts_room; i++) {
        if (!s->counts[i])
            continue;
        mcap_put16(b, (uint16_t)i);
        mcap_put64(b, s->counts[i]);
    }
    if (!b->failed)
        mcap_store32(b->at + map, (uint32_t)(b->size - map - sizeof(uint32_t)));
    mcap_record_end(b, begin);
}

static void summary_offsets(struct mcap_buffer *b, const struct mcap_part *groups, size_t count,
                            uint64_t offset)
{
    size_t i, begin;

    for (i = 0; i < count; i++) {
        if (groups[i].size) {
            begin = mcap_record_begin(b, MCAP_SUMMARY_OFFSET);
            mcap_put8(b, *(const uint8_t *)groups[i].data);
            mcap_put64(b, offset);
            mcap_put64(b, groups[i].size);
            mcap_record_end(b, begin);
        }
        offset += groups[i].size;
    }
}

static uint32_t summary_crc(const struct mcap_part *parts, size_t count)
{
    uint32_t crc = 0;
    size_t i;

    for (i = 0; i < count; i++)
        crc = crc32_of(crc, parts[i].data, parts[i].size);
    return crc;
}

static struct mcap_part summary_part(const struct mcap_buffer *b)
{
    return (struct mcap_part){.data = b->at, .size = b->size};
}

static void summary_data_end(struct mcap_buffer *b, uint32_t crc)
{
    size_t begin = mcap_record_begin(b, MCAP_DATA_END);

    mcap_put32(b, crc);
    mcap_record_end(b, begin);
}

/* The last parts: offsets and footer. Their buffer, `tail`, follows the groups. */
static void summary_tail(struct mcap_buffer *tail, struct mcap_part *groups, size_t count,
                         uint64_t start)
{
    uint64_t end = start;
    size_t i, begin;

    for (i = 0; i < count; i++)
        end += groups[i].size;
    summary_offsets(tail, groups, count, start);
    begin = mcap_record_begin(tail, MCAP_FOOTER);
    mcap_put64(tail, start);
    mcap_put64(tail, end);
    mcap_put32(tail, 0);
    mcap_record_end(tail, begin);
    groups[count] = summary_part(tail);
    if (!tail->failed) {
        groups[count].size -= sizeof(uint32_t);
        mcap_store32(tail->at + tail->size - sizeof(uint32_t), summary_crc(groups, count + 1));
    }
    mcap_buffer_append(tail, MCAP_MAGIC, MCAP_MAGIC_SIZE);
    groups[count] = summary_part(tail);
}

bool mcap_summary_write(struct mcap_summary *s, struct mcap_sink *sink)
{
    struct mcap_buffer head = {0}, statistics = {0}, tail = {0};
    struct mcap_part parts[8];
    bool ok = false;

    summary_data_end(&head, sink->crc);
    summary_statistics(s, &statistics);
    parts[0] = summary_part(&head);
    parts[1] = summary_part(&s->schemas);
    parts[2] = summary_part(&s->channels);
    parts[3] = summary_part(&statistics);
    parts[4] = summary_part(&s->chunks);
    parts[5] = summary_part(&s->attachments);
    parts[6] = summary_part(&s->metadata);
    summary_tail(&tail, parts + 1, 6, sink->offset + head.size);
    if (head.failed || statistics.failed || tail.failed || s->schemas.failed ||
        s->channels.failed || s->chunks.failed || s->attachments.failed || s->metadata.failed)
        errno = ENOMEM;
    else
        ok = mcap_sink_write(sink, parts, 8);
    mcap_buffer_free(&head);
    mcap_buffer_free(&statistics);
    mcap_buffer_free(&tail);
    return ok;
}

void mcap_summary_free(struct mcap_summary *s)
{
    mcap_buffer_free(&s->schemas);
    mcap_buffer_free(&s->channels);
    mcap_buffer_free(&s->chunks);
    mcap_buffer_free(&s->attachments);
    mcap_buffer_free(&s->metadata);
    free(s->counts);
}
