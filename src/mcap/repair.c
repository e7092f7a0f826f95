/* SPDX-License-Identifier: BSD-3-Clause */
#include "repair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "linear.h"

/* Count what the old index has and what was not found. */
static void repair_missing(struct mcap_repair *r)
{
    size_t i;

    for (i = 0; i < r->index.count; i++) {
        if (r->matched[i])
            continue;
        r->differs = true;
        mcap_repair_lost_chunk(r, r->index.chunks[i].first, r->index.chunks[i].last);
    }
}

/* Messages outside of chunks cannot be found behind damage, so what is behind it stays. */
static void repair_keep_tail(struct mcap_repair *r)
{
    uint64_t size = r->source.size - r->good.offset;

    if (!r->loose || size < MCAP_RECORD_HEADER)
        return;
    mcap_repair_bad(r, r->good.offset, size, "record", "it is not whole");
    r->good.offset = r->source.size;
}

static bool repair_is_whole(const struct mcap_repair *r)
{
    return (r->state == MCAP_INDEX_WHOLE || r->state == MCAP_INDEX_NONE) && r->scan.end &&
           !r->differs && !r->changed && !r->why.count && !r->definitions.invented;
}

static enum mcap_result repair_run(struct mcap_repair *r)
{
    enum mcap_result result = mcap_repair_begin(r);
    bool header = result == MCAP_OK;

    if (header)
        result = mcap_repair_scan(r);
    if (result == MCAP_BAD)
        return result;
    if (r->scan.end && r->scan.end < r->source.size)
        return MCAP_BAD; /* the fault says what is behind the end */
    repair_missing(r);
    if (repair_is_whole(r))
        return MCAP_OK;
    if (result == MCAP_CUT)
        repair_keep_tail(r);
    if (result == MCAP_CUT)
        r->told.removed = r->source.size - r->good.offset;
    if (!mcap_repair_write(r, header))
        return mcap_fault_say(&r->fault, MCAP_BAD, "it cannot be written: %s", strerror(errno));
    r->told.written = true;
    r->told.unnamed = r->definitions.invented;
    if (r->changed)
        mcap_fault_say(&r->why.first, MCAP_BAD,
                       "the checksum of the whole was wrong: a byte outside of chunks was changed");
    if (r->told.damaged || r->changed)
        memcpy(r->told.why, r->why.first.text, sizeof(r->told.why));
    return MCAP_OK;
}

static void repair_free(struct mcap_repair *r)
{
    mcap_scan_free(&r->scan);
    mcap_index_free(&r->index);
    free(r->matched);
    free(r->sure.each);
    mcap_definitions_free(&r->definitions);
    mcap_definitions_free(&r->doubt);
    mcap_summary_free(&r->summary);
    mcap_buffer_free(&r->damage);
    mcap_unpacked_free(&r->chunk);
    mcap_chunk_free(&r->entries);
    mcap_buffer_free(&r->places);
    mcap_source_free(&r->source);
    free(r);
}

static bool repair_add_sure(struct mcap_repair *r, struct mcap_place place)
{
    struct mcap_places *p = &r->sure;
    struct mcap_place *each;

    if (p->count == p->room) {
        each = mcap_array_grow(p->each, &p->room, p->count + 1, sizeof(*each));
        if (!each)
            return false;
        p->each = each;
    }
    p->each[p->count++] = place;
    return true;
}

/* The chunks that a reader with an index reads. */
static bool repair_sure_indexed(struct mcap_repair *r)
{
    uint8_t head[MCAP_RECORD_HEADER];
    bool ok = true;
    size_t i;

    mcap_index_by_offset(&r->index);
    for (i = 0; ok && i < r->index.count; i++) {
        const struct mcap_place *p = &r->index.chunks[i].place;

        if (mcap_source_at(&r->source, p->offset, head, sizeof(head)) == MCAP_READ &&
            head[0] == MCAP_CHUNK && mcap_load64(head + 1) == p->length - MCAP_RECORD_HEADER)
            ok = repair_add_sure(r, *p);
    }
    return ok;
}

/* What a reader without an index reads, and its definitions. */
static bool repair_sure_linear(struct mcap_repair *r)
{
    struct mcap_linear linear = {.scan = {.source = &r->source, .fault = &r->fault},
                                 .definitions = &r->definitions};
    enum mcap_result result = mcap_linear_begin(&linear);
    struct mcap_message message;
    uint64_t behind = 0;
    bool ok = true;

    while (ok && result == MCAP_OK) {
        result = mcap_linear_next(&linear, &message);
        /* Good records that follow one another need only one place. */
        if (result == MCAP_OK && linear.scan.whole > behind)
            ok = repair_add_sure(r, (struct mcap_place){.offset = linear.scan.whole});
        behind = r->source.offset;
    }
    mcap_linear_free(&linear);
    mcap_source_seek(&r->source, 0);
    r->fault.text[0] = '\0';
    return ok;
}

/* What readers find. */
static bool repair_state(struct mcap_repair *r)
{
    r->state = mcap_index_read(&r->index, &r->source, &r->definitions);
    r->matched = calloc(r->index.count + 1, sizeof(*r->matched));
    return r->matched && (r->source.pipe || (r->state == MCAP_INDEX_WHOLE ? repair_sure_indexed(r)
                                                                          : repair_sure_linear(r)));
}

static enum mcap_result repair_file(struct mcap_repair *r, int fd)
{
    if (!mcap_source_init(&r->source, fd) || !repair_state(r))
        return mcap_fault_say(&r->fault, MCAP_BAD, "there is no memory to read it");
    if (r->source.pipe)
        return mcap_fault_say(&r->fault, MCAP_BAD, "it is a pipe");
    r->definitions.invents = true;
    r->definitions.doubt = &r->doubt;
    r->told.first = 1;
    r->scan = (struct mcap_scan){.source = &r->source, .fault = &r->fault, .load_all = true};
    return repair_run(r);
}

enum mcap_result mcap_repair(int fd, struct mcap_repaired *told)
{
    struct mcap_repair *r = calloc(1, sizeof(*r));
    enum mcap_result result;

    *told = (struct mcap_repaired){.why = "there is no memory to read it"};
    if (!r)
        return MCAP_BAD;
    result = repair_file(r, fd);
    *told = r->told;
    if (result != MCAP_OK)
        memcpy(told->why, r->fault.text, sizeof(told->why));
    repair_free(r);
    return result;
}
