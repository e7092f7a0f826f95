/* SPDX-License-Identifier: BSD-3-Clause */
#include "scan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "bytes.h"

static enum mcap_result scan_end(struct mcap_scan *s, enum mcap_read r)
{
    if (r == MCAP_READ_ERROR)
        return mcap_fault_say(s->fault, MCAP_BAD, "cannot read byte %" PRIu64 ": %s",
                              s->source->offset, strerror(errno));
    if (s->ended)
        return mcap_fault_say(s->fault, MCAP_BAD,
                              "a record that begins at byte %" PRIu64 " is longer than the file",
                              s->whole);
    return mcap_fault_say(s->fault, MCAP_CUT,
                          "it was cut off: it has no whole record at byte %" PRIu64, s->whole);
}

const char *mcap_scan_kind(const struct mcap_record *record)
{
    return record->opcode == MCAP_CHUNK ? "chunk" : "record";
}

enum mcap_result mcap_scan_bad(struct mcap_scan *s, const struct mcap_record *record,
                               const char *why)
{
    const char *what = mcap_scan_kind(record);

    if (s->ended || s->source->pipe)
        return mcap_fault_say(s->fault, MCAP_BAD, "the %s at byte %" PRIu64 " is bad: %s", what,
                              record->offset, why);
    return mcap_fault_say(s->fault, MCAP_CUT,
                          "it was cut off: the %s at byte %" PRIu64 " is bad: %s", what,
                          record->offset, why);
}

enum mcap_result mcap_scan_begin(struct mcap_scan *s)
{
    char magic[MCAP_MAGIC_SIZE];
    size_t have = s->source->size < sizeof(magic) ? (size_t)s->source->size : sizeof(magic);
    enum mcap_read r = mcap_source_read(s->source, magic, have);

    if (r == MCAP_READ && memcmp(magic, MCAP_MAGIC, have) != 0)
        return mcap_fault_say(s->fault, MCAP_BAD, "it is not an MCAP file");
    if (r != MCAP_READ || have < sizeof(magic))
        return scan_end(s, r);
    s->whole = sizeof(magic);
    return MCAP_OK;
}

static bool scan_loads(const struct mcap_scan *s, uint8_t opcode)
{
    switch (opcode) {
    case MCAP_MESSAGE:
    case MCAP_CHUNK:
    case MCAP_SCHEMA:
    case MCAP_CHANNEL:
        return !s->summary && !s->skip;
    case MCAP_HEADER:
    case MCAP_FOOTER:
    case MCAP_DATA_END:
        return true;
    case MCAP_ATTACHMENT:
    case MCAP_METADATA:
        return s->load_all && !s->summary;
    case MCAP_MESSAGE_INDEX:
        return s->load_all && !s->summary && !s->skip;
    default:
        return false;
    }
}

static enum mcap_read scan_pass(struct mcap_scan *s, uint64_t size)
{
    struct mcap_source *source = s->source;

    if (!source->pipe && (source->offset > source->size || size > source->size - source->offset))
        return MCAP_READ_END;
    if (!s->skip || source->pipe)
        return mcap_source_pass(source, size);
    mcap_source_seek(source, source->offset + size);
    return MCAP_READ;
}

/* Files that were joined by cat have another beginning there. */
static enum mcap_result scan_behind(struct mcap_scan *s)
{
    const struct mcap_source *source = s->source;
    char magic[MCAP_MAGIC_SIZE];
    bool another = mcap_source_at(source, source->offset, magic, sizeof(magic)) == MCAP_READ &&
                   memcmp(magic, MCAP_MAGIC, sizeof(magic)) == 0;

    return mcap_fault_say(
        s->fault, MCAP_BAD,
        "its end is at byte %" PRIu64 ", and what is behind it was not read: %s%" PRIu64 " bytes",
        source->offset, another ? "another MCAP file of " : "", source->size - source->offset);
}

static enum mcap_result scan_footer(struct mcap_scan *s, const struct mcap_record *record)
{
    char magic[MCAP_MAGIC_SIZE];
    enum mcap_read r = mcap_source_read(s->source, magic, sizeof(magic));

    if (r != MCAP_READ)
        return scan_end(s, r);
    if (memcmp(magic, MCAP_MAGIC, sizeof(magic)) != 0)
        return mcap_scan_bad(s, record, "the end of the file does not follow it");
    s->whole = s->end = s->source->offset;
    return !s->source->pipe && s->end < s->source->size ? scan_behind(s) : MCAP_END;
}

/* crc: of all bytes before the record. */
static enum mcap_result scan_data_end(struct mcap_scan *s, struct mcap_record *record, uint32_t crc)
{
    struct mcap_cursor content = record->content;
    uint32_t told = mcap_take32(&content);

    if (content.bad)
        return mcap_scan_bad(s, record, "it is too short");
    if (told && told != crc && !s->skip && !s->skipped)
        return mcap_scan_bad(s, record, "the checksum of the file is wrong");
    s->summary = true;
    return MCAP_OK;
}

enum mcap_result mcap_scan_next(struct mcap_scan *s, struct mcap_record *record)
{
    uint8_t head[MCAP_RECORD_HEADER];
    uint32_t crc = s->source->crc;
    enum mcap_read r;
    bool load;

    record->offset = s->source->offset;
    s->whole = record->offset;
    r = mcap_source_read(s->source, head, sizeof(head));
    if (r != MCAP_READ)
        return scan_end(s, r);
    record->opcode = head[0];
    if (record->opcode == 0)
        return mcap_scan_bad(s, record, "it has no kind");
    load = scan_loads(s, record->opcode);
    s->content.size = 0;
    r = load ? mcap_source_fill(s->source, &s->content, mcap_load64(head + 1))
             : scan_pass(s, mcap_load64(head + 1));
    if (r != MCAP_READ)
        return scan_end(s, r);
    record->content = (struct mcap_cursor){.at = s->content.at, .size = s->content.size};
    if (record->opcode == MCAP_FOOTER)
        return scan_footer(s, record);
    if (record->opcode == MCAP_DATA_END)
        return scan_data_end(s, record, crc);
    return MCAP_OK;
}

/* What a repair has hidden is known to be damaged. */
bool mcap_scan_lost_chunk(struct mcap_scan *s, const struct mcap_record *record, uint64_t *at)
{
    *at = record->opcode == MCAP_MESSAGE_INDEX ? s->unknown : 0;
    s->unknown =
        record->opcode > MCAP_DATA_END && record->opcode != MCAP_HIDDEN ? record->offset : 0;
    return *at != 0;
}

void mcap_scan_free(struct mcap_scan *s)
{
    mcap_buffer_free(&s->content);
}
