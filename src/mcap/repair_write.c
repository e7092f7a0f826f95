/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "encode.h"
#include "repair.h"

/* The indexes of the last chunk, for a file in which they are not whole. */
static bool repair_index(struct mcap_repair *r, struct mcap_sink *sink)
{
    struct mcap_buffer index = {0};
    struct mcap_part part;
    bool ok;
    size_t i;

    r->places.size = 0;
    for (i = 0; i < r->entries.used_count; i++) {
        struct repair_place place = {.channel = r->entries.used[i],
                                     .offset = sink->offset + index.size};

        mcap_buffer_append(&r->places, &place, sizeof(place));
        mcap_chunk_index(&r->entries, place.channel, &index);
    }
    part = (struct mcap_part){.data = index.at, .size = index.size};
    errno = ENOMEM;
    ok = !index.failed && !r->places.failed && mcap_sink_write(sink, &part, 1);
    mcap_buffer_free(&index);
    r->good.offset = sink->offset;
    return ok;
}

static bool repair_header(struct mcap_sink *sink)
{
    struct mcap_buffer b = {0};
    struct mcap_part part;
    bool ok;

    mcap_buffer_append(&b, MCAP_MAGIC, MCAP_MAGIC_SIZE);
    mcap_encode_header(&b, "", "ach");
    part = (struct mcap_part){.data = b.at, .size = b.size};
    errno = ENOMEM;
    ok = !b.failed && mcap_sink_write(sink, &part, 1);
    mcap_buffer_free(&b);
    return ok;
}

static bool repair_put(const struct mcap_repair *r, uint64_t offset, const void *data, size_t size)
{
    return pwrite(r->source.fd, data, size, (off_t)offset) == (ssize_t)size;
}

/* The damage that precedes the cut becomes records of a kind that readers ignore. */
static bool repair_hide(struct mcap_repair *r, uint64_t cut)
{
    uint8_t head[REPAIR_HEADER] = {MCAP_HIDDEN};
    struct mcap_place place;
    size_t at;

    for (at = 0; at < r->damage.size; at += sizeof(place)) {
        memcpy(&place, r->damage.at + at, sizeof(place));
        if (place.offset >= cut)
            continue;
        mcap_store64(head + 1, place.length - MCAP_RECORD_HEADER);
        if (!repair_put(r, place.offset, head, MCAP_RECORD_HEADER))
            return false;
        r->told.damaged += place.length;
    }
    if (r->header_end == 0)
        return true;
    head[0] = MCAP_HEADER;
    mcap_store64(head + 1, r->header_end - MCAP_MAGIC_SIZE - MCAP_RECORD_HEADER);
    r->told.damaged += r->header_end - MCAP_MAGIC_SIZE;
    return repair_put(r, MCAP_MAGIC_SIZE, head, sizeof(head));
}

/* The checksum of all before the cut. */
static bool repair_checksum(struct mcap_repair *r, struct repair_mark *cut)
{
    bool ok = true;

    if (r->why.count) {
        mcap_source_seek(&r->source, 0);
        ok = mcap_source_pass(&r->source, cut->offset) == MCAP_READ;
        cut->crc = r->source.crc;
    }
    return ok;
}

bool mcap_repair_write(struct mcap_repair *r, bool header)
{
    bool anew = r->pending && !mcap_repair_indexed(r);
    struct repair_mark cut = anew ? r->chunk_end : r->good;
    struct mcap_sink sink = {.fd = r->source.fd};

    errno = ENOMEM;
    if (r->damage.failed || !repair_hide(r, cut.offset) || !repair_checksum(r, &cut))
        return false;
    sink.offset = cut.offset;
    sink.crc = cut.crc;
    if (ftruncate(sink.fd, (off_t)cut.offset) != 0 ||
        lseek(sink.fd, (off_t)cut.offset, SEEK_SET) < 0)
        return false;
    if (!header && !repair_header(&sink))
        return false;
    if (anew && !repair_index(r, &sink))
        return false;
    mcap_repair_settle(r, true);
    /* With an index, readers would not find the messages outside of chunks. */
    if (r->loose)
        r->summary.chunks.size = 0;
    mcap_definitions_collect(&r->definitions, &r->summary);
    return mcap_summary_write(&r->summary, &sink);
}
