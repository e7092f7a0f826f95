/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "linear.h"
#include "merge.h"

/* What is called for attachments or metadata. */
struct reader_call {
    uint8_t opcode;
    mcap_attachment_fun *attachment;
    mcap_metadata_fun *metadata;
    void *context;
    bool done;            /* the function does not want more */
    enum mcap_result bad; /* MCAP_OK: none of them was */
};

struct mcap_reader {
    struct mcap_source source;
    struct mcap_fault fault;
    struct mcap_definitions definitions;
    struct mcap_index index;
    enum mcap_index_state state;
    struct mcap_linear linear;
    struct mcap_merge merge;
    struct reader_call attachments, metadata; /* of a pipe */
    bool begun;                               /* the header has been read */
    enum mcap_result result;                  /* of everything from now on, if it is not MCAP_OK */
};

/* The header; not before it is asked for, because a pipe may have none yet. */
static void reader_begin(struct mcap_reader *r)
{
    if (!r->begun)
        r->result = mcap_linear_begin(&r->linear);
    r->begun = true;
}

/* Of a damaged summary nothing is used. */
static void reader_prepare(struct mcap_reader *r)
{
    if (!r->source.pipe)
        r->state = mcap_index_read(&r->index, &r->source, &r->definitions);
    r->linear.scan.source = &r->source;
    r->linear.scan.fault = &r->fault;
    r->linear.scan.ended = r->state != MCAP_INDEX_CUT;
    r->linear.definitions = &r->definitions;
    r->merge.index = &r->index;
    r->merge.source = &r->source;
    r->merge.definitions = &r->definitions;
    r->merge.fault = &r->fault;
    if (!r->source.pipe)
        reader_begin(r);
}

struct mcap_reader *mcap_reader_new(int fd)
{
    struct mcap_reader *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    if (!mcap_source_init(&r->source, fd)) {
        mcap_reader_free(r);
        errno = ENOMEM;
        return NULL;
    }
    reader_prepare(r);
    return r;
}

void mcap_reader_free(struct mcap_reader *r)
{
    if (!r)
        return;
    mcap_linear_free(&r->linear);
    mcap_merge_free(&r->merge);
    mcap_index_free(&r->index);
    mcap_definitions_free(&r->definitions);
    mcap_source_free(&r->source);
    free(r);
}

bool mcap_reader_indexed(const struct mcap_reader *r)
{
    return r->state == MCAP_INDEX_WHOLE;
}

enum mcap_result mcap_reader_next(struct mcap_reader *r, struct mcap_message *message)
{
    reader_begin(r);
    if (r->result != MCAP_OK)
        return r->result;
    r->fault.text[0] = '\0'; /* of an attachment */
    r->result = mcap_reader_indexed(r) ? mcap_merge_next(&r->merge, message)
                                       : mcap_linear_next(&r->linear, message);
    if (r->result == MCAP_END && r->state == MCAP_INDEX_DAMAGED)
        r->result = mcap_fault_say(&r->fault, MCAP_BAD,
                                   "all its messages were read, but its index is damaged: %s",
                                   r->index.why);
    return r->result;
}

bool mcap_reader_seek(struct mcap_reader *r, uint64_t log_time)
{
    if (r->source.pipe) {
        errno = ESPIPE;
        return false;
    }
    r->fault.text[0] = '\0';
    mcap_linear_rewind(&r->linear, log_time);
    mcap_merge_seek(&r->merge, log_time);
    r->result = mcap_linear_begin(&r->linear);
    return true;
}

bool mcap_reader_chunk(const struct mcap_reader *r, uint16_t channel, uint64_t up_to,
                       uint64_t *first, uint64_t *last)
{
    bool found = false;
    size_t i;

    *last = 0;
    for (i = 0; i < r->index.count && r->index.chunks[i].first <= up_to; i++) {
        const struct mcap_span *span = &r->index.chunks[i];

        if (!mcap_index_has(&r->index, span, channel))
            continue;
        found = true;
        *first = span->first;
        *last = span->last > *last ? span->last : *last;
    }
    return found;
}

const struct mcap_channel *mcap_reader_channel(const struct mcap_reader *r, uint16_t id)
{
    return mcap_definitions_channel(&r->definitions, id);
}

const struct mcap_schema *mcap_reader_schema(const struct mcap_reader *r, uint16_t id)
{
    return mcap_definitions_schema(&r->definitions, id);
}

uint64_t mcap_reader_count(const struct mcap_reader *r, uint16_t channel)
{
    return channel < r->index.counts_room ? r->index.counts[channel] : 0;
}

bool mcap_reader_statistics(const struct mcap_reader *r, struct mcap_statistics *statistics)
{
    if (r->index.has_statistics)
        *statistics = r->index.statistics;
    return r->index.has_statistics;
}

bool mcap_reader_sizes(const struct mcap_reader *r, struct mcap_sizes *sizes)
{
    size_t i;

    *sizes = (struct mcap_sizes){.compressed = 0};
    for (i = 0; i < r->index.count; i++) {
        sizes->compressed += r->index.chunks[i].compressed;
        sizes->uncompressed += r->index.chunks[i].uncompressed;
        sizes->chunks[r->index.chunks[i].compression]++;
    }
    return mcap_reader_indexed(r);
}

const char *mcap_reader_profile(const struct mcap_reader *r)
{
    return r->linear.profile ? r->linear.profile : "";
}

const char *mcap_reader_library(const struct mcap_reader *r)
{
    return r->linear.library ? r->linear.library : "";
}

uint64_t mcap_reader_damage(const struct mcap_reader *r, const char **why)
{
    const bool indexed = mcap_reader_indexed(r);

    *why = indexed ? r->merge.damage.first.text : r->linear.damage.first.text;
    return indexed ? r->merge.bad : r->linear.damage.count;
}

const char *mcap_reader_error(const struct mcap_reader *r)
{
    return r->fault.text;
}

/* NULL, or why it is bad. */
static const char *reader_call_attachment(struct reader_call *call,
                                          const struct mcap_record *record)
{
    struct mcap_attachment attachment;

    if (!mcap_decode_attachment(record->content, &attachment))
        return "the attachment is damaged";
    call->done = !call->attachment(call->context, &attachment);
    return NULL;
}

static const char *reader_call_metadata(struct reader_call *call, const struct mcap_record *record)
{
    struct mcap_pair *pairs = NULL;
    struct mcap_cursor map;
    struct mcap_text name;
    size_t count = 0;

    if (!mcap_decode_metadata(record->content, &name, &map) ||
        !mcap_decode_pairs(map, NULL, 0, &count))
        return "the metadata is damaged";
    pairs = calloc(count + 1, sizeof(*pairs));
    if (!pairs)
        return "there is no memory for the metadata";
    mcap_decode_pairs(map, pairs, count, &count);
    call->done = !call->metadata(call->context, name, pairs, count);
    free(pairs);
    return NULL;
}

static void reader_call_record(struct mcap_reader *r, struct reader_call *call,
                               const struct mcap_record *record)
{
    const char *why = NULL;

    if (record->opcode == call->opcode)
        why = call->attachment ? reader_call_attachment(call, record)
                               : reader_call_metadata(call, record);
    if (why)
        call->bad = mcap_scan_bad(&r->linear.scan, record, why);
}

/* By the index. */
static enum mcap_result reader_call_places(struct mcap_reader *r, struct reader_call *call,
                                           const struct mcap_places *places)
{
    enum mcap_result result = MCAP_OK;
    struct mcap_record record;
    size_t i;

    for (i = 0; result == MCAP_OK && !call->done && i < places->count; i++) {
        mcap_source_seek(&r->source, places->each[i].offset);
        result = mcap_scan_next(&r->linear.scan, &record);
        if (result == MCAP_OK && record.opcode != call->opcode)
            result =
                mcap_scan_bad(&r->linear.scan, &record, "the index names it as what it is not");
        if (result == MCAP_OK)
            reader_call_record(r, call, &record);
    }
    return result == MCAP_OK ? MCAP_END : result;
}

/* Jump over the rest of the file. */
static enum mcap_result reader_call_scan(struct mcap_reader *r, struct reader_call *call)
{
    enum mcap_result result = mcap_scan_begin(&r->linear.scan);
    struct mcap_record record;

    while (result == MCAP_OK && !call->done && !r->linear.scan.summary) {
        result = mcap_scan_next(&r->linear.scan, &record);
        if (result == MCAP_OK)
            reader_call_record(r, call, &record);
    }
    return result == MCAP_OK ? MCAP_END : result;
}

/* Reading of messages goes on afterwards where it was. */
static enum mcap_result reader_each(struct mcap_reader *r, struct reader_call *call,
                                    const struct mcap_places *places)
{
    struct mcap_scan *scan = &r->linear.scan;
    uint64_t offset = r->source.offset;
    uint32_t crc = r->source.crc;
    bool summary = scan->summary;
    enum mcap_result result;

    if (r->source.pipe)
        return mcap_fault_say(&r->fault, MCAP_BAD,
                              "it is a pipe, which can only be read for messages");
    if (r->result == MCAP_OK)
        r->fault.text[0] = '\0';
    mcap_source_seek(&r->source, 0);
    scan->summary = false;
    scan->skip = scan->load_all = true;
    result =
        mcap_reader_indexed(r) ? reader_call_places(r, call, places) : reader_call_scan(r, call);
    scan->skip = scan->load_all = false;
    scan->summary = summary;
    mcap_source_seek(&r->source, offset);
    r->source.crc = crc;
    return call->bad ? call->bad : result;
}

enum mcap_result mcap_reader_attachments(struct mcap_reader *r, mcap_attachment_fun *fun,
                                         void *context)
{
    struct reader_call call = {.opcode = MCAP_ATTACHMENT, .attachment = fun, .context = context};

    return reader_each(r, &call, &r->index.attachments);
}

enum mcap_result mcap_reader_metadata(struct mcap_reader *r, mcap_metadata_fun *fun, void *context)
{
    struct reader_call call = {.opcode = MCAP_METADATA, .metadata = fun, .context = context};

    return reader_each(r, &call, &r->index.metadata);
}

static const char *reader_beside(void *context, const struct mcap_record *record)
{
    struct mcap_reader *r = context;

    if (record->opcode == MCAP_METADATA)
        return r->metadata.done ? NULL : reader_call_metadata(&r->metadata, record);
    return r->attachments.done ? NULL : reader_call_attachment(&r->attachments, record);
}

bool mcap_reader_beside(struct mcap_reader *r, mcap_attachment_fun *attachment,
                        mcap_metadata_fun *metadata, void *context)
{
    if (!r->source.pipe)
        return false;
    r->attachments = (struct reader_call){.attachment = attachment, .context = context};
    r->metadata = (struct reader_call){.metadata = metadata, .context = context};
    r->linear.beside = reader_beside;
    r->linear.context = r;
    r->linear.scan.load_all = true;
    return true;
}

static bool reader_verified(void *context, const struct mcap_attachment *a)
{
    (void)context;
    (void)a;
    return true;
}

/* Attachments first, because their error messages are more exact. */
enum mcap_result mcap_reader_verify(struct mcap_reader *r)
{
    struct mcap_scan scan = {.source = &r->source, .fault = &r->fault};
    enum mcap_result result = mcap_reader_attachments(r, reader_verified, NULL);
    struct mcap_record record;

    if (result != MCAP_END)
        return result;
    mcap_source_seek(&r->source, 0);
    result = mcap_scan_begin(&scan);
    while (result == MCAP_OK)
        result = mcap_scan_next(&scan, &record);
    mcap_scan_free(&scan);
    return result;
}
