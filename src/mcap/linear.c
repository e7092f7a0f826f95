/* SPDX-License-Identifier: BSD-3-Clause */
#include "linear.h"

#include <stdlib.h>
#include <string.h>

static char *linear_text(struct mcap_text text)
{
    return text.size ? strndup(text.at, text.size) : strdup("");
}

static enum mcap_result linear_header(struct mcap_linear *l, const struct mcap_record *record)
{
    struct mcap_text profile, library;

    if (!mcap_decode_header(record, &profile, &library))
        return mcap_scan_bad(&l->scan, record, "it is not the header");
    if (!l->profile)
        l->profile = linear_text(profile);
    if (!l->library)
        l->library = linear_text(library);
    return MCAP_OK;
}

enum mcap_result mcap_linear_begin(struct mcap_linear *l)
{
    struct mcap_record record;
    enum mcap_result r = mcap_scan_begin(&l->scan);

    if (r == MCAP_OK)
        r = mcap_scan_next(&l->scan, &record);
    return r == MCAP_OK ? linear_header(l, &record) : r;
}

static const char *linear_message(struct mcap_linear *l, const struct mcap_record *record,
                                  struct mcap_message *message)
{
    if (!mcap_decode_message(record->content, message))
        return "it is too short";
    return mcap_definitions_channel(l->definitions, message->channel)
               ? NULL
               : "its channel is not defined before";
}

static const char *linear_chunk(struct mcap_linear *l)
{
    const char *why = mcap_unpack(&l->chunk, &l->scan.content, l->definitions);

    if (why)
        l->chunk.count = l->chunk.next = l->chunk.undefined = 0;
    else if (l->chunk.undefined)
        why = MCAP_UNDEFINED;
    return why;
}

/* NULL, or why it is bad. *given: it is a message. */
static const char *linear_record(struct mcap_linear *l, const struct mcap_record *record,
                                 struct mcap_message *message, bool *given)
{
    const char *why;

    if (l->scan.summary)
        return NULL;
    switch (record->opcode) {
    case MCAP_CHUNK:
        return linear_chunk(l);
    case MCAP_MESSAGE:
        why = linear_message(l, record, message);
        *given = !why;
        return why;
    case MCAP_SCHEMA:
    case MCAP_CHANNEL:
        return mcap_definitions_add(l->definitions, record);
    case MCAP_ATTACHMENT:
    case MCAP_METADATA:
        return l->beside ? l->beside(l->context, record) : NULL;
    default:
        return NULL;
    }
}

/* Behind a bad record. */
static void linear_skip(struct mcap_linear *l, uint64_t offset)
{
    struct mcap_source *source = l->scan.source;
    uint64_t to = source->pipe ? source->offset
                               : mcap_find_behind_bad(&l->find, source, offset, source->offset);

    if (to == source->offset)
        return;
    mcap_source_seek(source, to);
    l->scan.skipped = true;
}

static void linear_damage(struct mcap_linear *l, const struct mcap_record *record, const char *why)
{
    mcap_damage_add(&l->damage, mcap_scan_kind(record), record->offset, why);
    l->after = record->opcode == MCAP_CHUNK && l->chunk.undefined;
    l->damage.undefined += l->after;
    if (!l->after)
        linear_skip(l, record->offset);
}

/* Bytes are no record, and a record follows behind them. Go on there. */
static bool linear_gap(struct mcap_linear *l)
{
    struct mcap_scan *s = &l->scan;
    uint64_t at = s->whole, to = 0;

    if (!s->source->pipe && !s->summary && !s->end)
        to = mcap_find_record(s->source, at + MCAP_RECORD_HEADER);
    if (!to)
        return false;
    mcap_damage_add(&l->damage, "record", at, "its kind or its length is damaged");
    s->fault->text[0] = '\0';
    mcap_source_seek(s->source, to);
    s->skipped = true;
    l->find = (struct mcap_find){.found = to, .limit = s->source->size};
    return true;
}

/* There are no more records. */
static enum mcap_result linear_end(struct mcap_linear *l, enum mcap_result r)
{
    if (l->damage.count == 0)
        return r;
    mcap_damage_say(&l->damage, l->scan.fault);
    return r == MCAP_CUT && l->damage.count == 1 && !l->after && !l->scan.source->pipe ? MCAP_CUT
                                                                                       : MCAP_BAD;
}

static bool linear_of_chunk(struct mcap_linear *l, struct mcap_message *message)
{
    if (l->chunk.next == l->chunk.count)
        return false;
    mcap_unpacked_message(&l->chunk, l->chunk.next++, message);
    return true;
}

static enum mcap_result linear_any(struct mcap_linear *l, struct mcap_message *message)
{
    struct mcap_record record;
    bool given = linear_of_chunk(l, message);
    enum mcap_result r;
    const char *why;
    uint64_t at;

    while (!given) {
        r = mcap_scan_next(&l->scan, &record);
        if (r != MCAP_OK && linear_gap(l))
            continue;
        if (r != MCAP_OK)
            return linear_end(l, r);
        if (mcap_scan_lost_chunk(&l->scan, &record, &at))
            mcap_damage_add(&l->damage, "chunk", at, MCAP_LOST_CHUNK);
        why = linear_record(l, &record, message, &given);
        if (why)
            linear_damage(l, &record, why);
        given = given || linear_of_chunk(l, message);
    }
    l->after = true;
    return MCAP_OK;
}

enum mcap_result mcap_linear_next(struct mcap_linear *l, struct mcap_message *message)
{
    enum mcap_result r;

    do
        r = linear_any(l, message);
    while (r == MCAP_OK && message->log_time < l->from);
    return r;
}

void mcap_linear_rewind(struct mcap_linear *l, uint64_t from)
{
    mcap_source_seek(l->scan.source, 0);
    l->scan.summary = l->scan.skipped = false;
    l->scan.end = l->scan.unknown = 0;
    l->chunk.count = l->chunk.next = 0;
    l->damage = (struct mcap_damage){0};
    l->find = (struct mcap_find){0};
    l->after = false;
    l->from = from;
}

void mcap_linear_free(struct mcap_linear *l)
{
    mcap_scan_free(&l->scan);
    mcap_unpacked_free(&l->chunk);
    free(l->profile);
    free(l->library);
}
