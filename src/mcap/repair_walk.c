/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "bytes.h"
#include "repair.h"

#define REPAIR_HEADER_MAX 4096u
#define REPAIR_DATA_END (MCAP_RECORD_HEADER + 4u)

void mcap_repair_lost_chunk(struct mcap_repair *r, uint64_t first, uint64_t last)
{
    struct mcap_repaired *t = &r->told;

    if (first <= last && (t->first > t->last || first < t->first))
        t->first = first;
    if (first <= last && last > t->last)
        t->last = last;
    t->chunks++;
}

void mcap_repair_bad(struct mcap_repair *r, uint64_t offset, uint64_t length, const char *what,
                     const char *why)
{
    const struct mcap_place place = {.offset = offset, .length = length};

    /* The indexes of a chunk are only written anew if nothing else is behind it. */
    mcap_repair_settle(r, mcap_repair_indexed(r));
    mcap_buffer_append(&r->damage, &place, sizeof(place));
    mcap_damage_add(&r->why, what, offset, why);
}

/* Where the data of a file with an index ends; 0: it has none. */
static uint64_t repair_data_end(const struct mcap_repair *r)
{
    return r->state == MCAP_INDEX_WHOLE && r->index.summary > REPAIR_DATA_END
               ? r->index.summary - REPAIR_DATA_END
               : 0;
}

/* The first place that begins there or behind it, of those that readers find. 0: there is none. */
static uint64_t repair_sure(const struct mcap_repair *r, uint64_t offset)
{
    size_t from = 0, to = r->sure.count, i;

    while (from < to) {
        i = from + (to - from) / 2;
        if (r->sure.each[i].offset < offset)
            from = i + 1;
        else
            to = i;
    }
    return from < r->sure.count ? r->sure.each[from].offset : 0;
}

/* Something else that is sure begins within this record, or too close behind it to hide what is between. */
static bool repair_crosses(const struct mcap_repair *r, uint64_t offset, uint64_t behind)
{
    uint64_t to = repair_sure(r, offset + 1), end = repair_data_end(r);

    if (repair_sure(r, offset) == offset)
        return false;
    if (to && to != behind && to < behind + MCAP_RECORD_HEADER)
        return true;
    return end >= offset + MCAP_RECORD_HEADER && end < behind;
}

/* Does an index name a place that has another record? Files have few attachments. */
static bool repair_other(const struct mcap_places *places, enum mcap_opcode opcode,
                         const struct mcap_record *record)
{
    size_t i;

    for (i = 0; record->opcode != opcode && i < places->count; i++)
        if (places->each[i].offset == record->offset)
            return true;
    return false;
}

/* Why a record cannot be right by the index. */
static const char *repair_contradicts(const struct mcap_repair *r, const struct mcap_record *record)
{
    if (repair_sure(r, record->offset) == record->offset)
        return NULL;
    if (record->opcode != MCAP_CHUNK && mcap_repair_span(r, record->offset))
        return "by the index it is a chunk";
    if (repair_other(&r->index.attachments, MCAP_ATTACHMENT, record) ||
        repair_other(&r->index.metadata, MCAP_METADATA, record))
        return "by the index it is of another kind";
    return repair_crosses(r, record->offset, r->source.offset) ? "something else begins within it"
                                                               : NULL;
}

/* From there on. 0: there is nothing. */
static uint64_t repair_find(struct mcap_repair *r, uint64_t from)
{
    uint64_t to = mcap_find_record(&r->source, from), sure = repair_sure(r, from);

    if (sure && (!to || sure < to + MCAP_RECORD_HEADER))
        to = sure;
    if (!to && repair_data_end(r) >= from)
        to = repair_data_end(r);
    r->find = (struct mcap_find){.found = to, .limit = r->source.size};
    return to;
}

/* A bad record. If the index names it, with its length, then that is right. */
static void repair_bad_record(struct mcap_repair *r, const struct mcap_record *record,
                              const char *why)
{
    uint64_t behind = r->source.offset, from = record->offset + MCAP_RECORD_HEADER, to = behind,
             sure = repair_sure(r, from);

    if (record->opcode == MCAP_CHUNK) {
        mcap_unpacked_salvage(&r->chunk, &r->doubt);
        /* With an index, chunks that are missing at the end are counted. */
        if (r->state != MCAP_INDEX_WHOLE && record->offset != r->find.found)
            mcap_repair_lost_chunk(r, r->at.first, r->at.last);
    }
    if (repair_crosses(r, record->offset, behind))
        to = repair_find(r, from);
    else if (repair_sure(r, record->offset) != record->offset)
        to = mcap_find_behind_bad(&r->find, &r->source, record->offset, behind);
    if (sure && to + MCAP_RECORD_HEADER > sure)
        to = sure;
    if (to && to != behind)
        mcap_source_seek(&r->source, behind = to);
    mcap_repair_bad(r, record->offset, behind - record->offset, mcap_scan_kind(record), why);
}

/*
 * Where to begin to hide bytes that are no record. A record takes 9 bytes, and less may be left to the next one. So the bytes
 * join what was damaged or of an unknown kind right before them: its length may be what is wrong.
 */
static uint64_t repair_join(struct mcap_repair *r, uint64_t from)
{
    struct mcap_place last = {0};

    if (r->damage.size) {
        memcpy(&last, r->damage.at + r->damage.size - sizeof(last), sizeof(last));
        if (last.offset + last.length == from) {
            r->damage.size -= sizeof(last);
            return last.offset;
        }
    }
    return r->unknown ? r->unknown : from;
}

/* Bytes that are no record begin there. Continue behind them. False: there is nothing. */
static bool repair_gap(struct mcap_repair *r, uint64_t from)
{
    uint64_t to = repair_find(r, from + 1), begin = from;
    uint8_t opcode = 0;

    if (to && to - from < MCAP_RECORD_HEADER)
        begin = repair_join(r, from);
    if (to && to - begin < MCAP_RECORD_HEADER)
        to = repair_find(r, begin + MCAP_RECORD_HEADER);
    if (!to)
        return false;
    if (begin < r->good.offset)
        r->good.offset = begin;
    mcap_source_at(&r->source, from, &opcode, 1);
    mcap_repair_bad(r, begin, to - begin, opcode == MCAP_CHUNK ? "chunk" : "record",
                    "its kind or its length is damaged");
    if (opcode == MCAP_CHUNK && r->state != MCAP_INDEX_WHOLE)
        mcap_repair_lost_chunk(r, 1, 0);
    mcap_source_seek(&r->source, to);
    r->fault.text[0] = '\0';
    return true;
}

static bool repair_plain_cut(const struct mcap_repair *r)
{
    uint8_t head[MCAP_RECORD_HEADER];

    return r->source.size < MCAP_MAGIC_SIZE + REPAIR_HEADER ||
           (mcap_source_at(&r->source, MCAP_MAGIC_SIZE, head, sizeof(head)) == MCAP_READ &&
            head[0] == MCAP_HEADER && mcap_load64(head + 1) < REPAIR_HEADER_MAX);
}

/* The header is damaged, or not whole: a new one takes its place, and that of all up to what is found. */
static enum mcap_result repair_no_header(struct mcap_repair *r, enum mcap_result result)
{
    uint64_t to = repair_find(r, MCAP_MAGIC_SIZE + REPAIR_HEADER);

    if (!to && result == MCAP_CUT && repair_plain_cut(r))
        return MCAP_CUT;
    to = to ? to : r->source.size;
    if (to < MCAP_MAGIC_SIZE + REPAIR_HEADER)
        return mcap_fault_say(&r->fault, MCAP_BAD, "its header is damaged");
    r->header_end = to;
    mcap_damage_add(&r->why, "header", MCAP_MAGIC_SIZE, "it is damaged");
    mcap_source_seek(&r->source, to);
    r->fault.text[0] = '\0';
    r->good = mcap_repair_here(r);
    return MCAP_OK;
}

enum mcap_result mcap_repair_begin(struct mcap_repair *r)
{
    enum mcap_result result = mcap_scan_begin(&r->scan);
    struct mcap_text profile, library;
    struct mcap_record record;

    if (result != MCAP_OK)
        return result;
    result = mcap_scan_next(&r->scan, &record);
    if (result == MCAP_BAD)
        return result;
    if (result != MCAP_OK || !mcap_decode_header(&record, &profile, &library) ||
        repair_crosses(r, record.offset, r->source.offset))
        return repair_no_header(r, result);
    r->good = mcap_repair_here(r);
    return MCAP_OK;
}

/* Is it the end of the data, with the footer behind it, as far as there is more? Otherwise it is damaged. */
static bool repair_ends(struct mcap_repair *r, uint64_t offset)
{
    uint64_t behind = r->source.offset;
    enum mcap_result result = MCAP_OK;
    struct mcap_record record;

    while (result == MCAP_OK)
        result = mcap_scan_next(&r->scan, &record);
    if (repair_sure(r, offset) ||
        (result != MCAP_END && !r->scan.end && mcap_find_record(&r->source, behind))) {
        r->scan.summary = false;
        mcap_source_seek(&r->source, offset);
        return false;
    }
    r->good.offset = offset;
    return true;
}

enum mcap_result mcap_repair_scan(struct mcap_repair *r)
{
    struct mcap_record record;
    enum mcap_result result;
    const char *why;
    uint64_t lost;

    for (;;) {
        result = mcap_scan_next(&r->scan, &record);
        if (r->scan.summary) {
            r->changed = r->changed || result != MCAP_OK;
            if (repair_ends(r, record.offset))
                return MCAP_END;
            result = MCAP_CUT;
            r->scan.whole = record.offset;
        }
        if (r->scan.whole == repair_data_end(r)) {
            r->differs = true;
            r->good.offset = r->scan.whole;
            return MCAP_END;
        }
        if (result == MCAP_CUT && repair_gap(r, r->scan.whole))
            continue;
        if (result != MCAP_OK)
            return result;
        if (mcap_scan_lost_chunk(&r->scan, &record, &lost)) {
            mcap_repair_bad(r, lost, record.offset - lost, "chunk", MCAP_LOST_CHUNK);
            mcap_repair_lost_chunk(r, 1, 0);
        }
        why = repair_contradicts(r, &record);
        if (!why)
            why = mcap_repair_record(r, &record);
        if (why)
            repair_bad_record(r, &record, why);
        else
            r->good = mcap_repair_here(r);
    }
}
