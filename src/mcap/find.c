/* SPDX-License-Identifier: BSD-3-Clause */
#include "find.h"

#include <string.h>

#include "bytes.h"
#include "mcap.h"

#define FIND_WINDOW 4096u

/* From a place in a record to its end. */
struct find_rest {
    const struct mcap_source *source;
    uint64_t at, end;
    bool bad;
};

static uint64_t find_number(struct find_rest *r, unsigned bytes)
{
    uint8_t number[8] = {0};

    r->bad = r->bad || r->end - r->at < bytes ||
             mcap_source_at(r->source, r->at, number, bytes) != MCAP_READ;
    r->at += r->bad ? 0 : bytes;
    return r->bad ? 0 : mcap_load64(number);
}

static void find_pass(struct find_rest *r, uint64_t bytes)
{
    r->bad = r->bad || bytes > r->end - r->at;
    r->at += r->bad ? 0 : bytes;
}

static void find_text(struct find_rest *r)
{
    find_pass(r, find_number(r, 4));
}

static void find_chunk(struct find_rest *r)
{
    uint64_t first = find_number(r, 8), name;

    r->bad = r->bad || first > find_number(r, 8);
    find_pass(r, 12);
    name = find_number(r, 4);
    r->bad = r->bad || name > 4; /* "", "lz4", "zstd" */
    find_pass(r, name);
    find_pass(r, find_number(r, 8));
}

static void find_attachment(struct find_rest *r)
{
    find_pass(r, 16);
    find_text(r);
    find_text(r);
    find_pass(r, find_number(r, 8));
    find_pass(r, 4);
}

/* Nine bytes at an offset: do they begin a record whose lengths agree? */
static bool find_fits(const struct mcap_source *s, uint64_t offset, const uint8_t *head)
{
    struct find_rest r = {.source = s, .at = offset + MCAP_RECORD_HEADER};
    uint64_t length = mcap_load64(head + 1);

    if (length > s->size - r.at)
        return false;
    r.end = r.at + length;
    switch (head[0]) {
    case MCAP_CHUNK:
        find_chunk(&r);
        break;
    case MCAP_ATTACHMENT:
        find_attachment(&r);
        break;
    case MCAP_METADATA:
        find_text(&r);
        find_text(&r);
        break;
    case MCAP_DATA_END:
        find_pass(&r, 4);
        break;
    default:
        return false;
    }
    return !r.bad && r.at == r.end;
}

/* In [from, to). 0: there is none. */
static uint64_t find_between(const struct mcap_source *s, uint64_t from, uint64_t to)
{
    uint8_t window[FIND_WINDOW + MCAP_RECORD_HEADER];
    size_t n, i;

    for (; from < to && s->size - from >= MCAP_RECORD_HEADER; from += FIND_WINDOW) {
        n = s->size - from < sizeof(window) ? (size_t)(s->size - from) : sizeof(window);
        if (mcap_source_at(s, from, window, n) != MCAP_READ)
            return 0;
        for (i = 0; i < FIND_WINDOW && from + i < to && i + MCAP_RECORD_HEADER <= n; i++)
            if (find_fits(s, from + i, window + i))
                return from + i;
    }
    return 0;
}

uint64_t mcap_find_record(const struct mcap_source *s, uint64_t from)
{
    return find_between(s, from, s->size);
}

uint64_t mcap_find_behind_bad(struct mcap_find *f, const struct mcap_source *s, uint64_t offset,
                              uint64_t behind)
{
    bool found = offset == f->found;
    uint64_t limit = found ? f->limit : behind, to;

    if (!found && find_between(s, offset, offset + 1))
        return behind;
    /* What is left behind it must have room for the 9 bytes of a record, too. */
    to = find_between(s, offset + MCAP_RECORD_HEADER, limit - MCAP_RECORD_HEADER + 1);
    if (!to)
        return limit < s->size ? limit : behind;
    *f = (struct mcap_find){.found = to, .limit = limit};
    return to;
}
