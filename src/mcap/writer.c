/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "chunk.h"
#include "compress.h"
#include "crc32.h"
#include "encode.h"
#include "sink.h"
#include "summary.h"

#define WRITER_CHUNK_DEFAULT ((size_t)1 << 20)
#define WRITER_CHUNK_MAX MCAP_DATA_MAX
#define WRITER_IDS 65535u
#define WRITER_PENDING UINT64_MAX

/* A schema or channel: its record, and in which unit of the file that is. */
struct writer_definition {
    size_t at, size;
    uint64_t unit;
    uint16_t schema;
};

/* Definitions of one kind; the id of the first one is 1. */
struct writer_definitions {
    struct mcap_buffer records;
    struct writer_definition *each;
    size_t count, room;
};

struct mcap_writer {
    struct mcap_sink sink;
    int error; /* errno of the first failure */
    enum mcap_compression compression;
    void *compressor;
    size_t chunk_size;
    uint64_t units; /* written so far */
    uint64_t messages;
    struct writer_definitions schemas, channels;
    struct mcap_chunk chunk;
    struct mcap_buffer packed, head, index;
    struct mcap_summary summary;
};

/* The unit that they were to be in will not be in the file. */
static void writer_undefine(struct writer_definitions *all, uint64_t unit)
{
    size_t i;

    for (i = 0; i < all->count; i++)
        if (all->each[i].unit == unit)
            all->each[i].unit = WRITER_PENDING;
}

static bool writer_fail(struct mcap_writer *w)
{
    if (!w->error)
        w->error = errno ? errno : EIO;
    writer_undefine(&w->schemas, w->units);
    writer_undefine(&w->channels, w->units);
    return false;
}

/* Has a write failed before? */
static bool writer_failed(const struct mcap_writer *w)
{
    if (w->error)
        errno = w->error;
    return w->error != 0;
}

static bool writer_unit(struct mcap_writer *w, const struct mcap_part *parts, size_t count)
{
    if (!mcap_sink_write(&w->sink, parts, count))
        return writer_fail(w);
    w->units++;
    return true;
}

static bool writer_unit_of(struct mcap_writer *w, const struct mcap_buffer *b)
{
    struct mcap_part part = {.data = b->at, .size = b->size};

    if (b->failed) {
        errno = ENOMEM;
        return writer_fail(w);
    }
    return writer_unit(w, &part, 1);
}

static bool writer_begin(struct mcap_writer *w, const struct mcap_writer_options *options)
{
    w->head.size = 0;
    mcap_buffer_append(&w->head, MCAP_MAGIC, MCAP_MAGIC_SIZE);
    mcap_encode_header(&w->head, options->profile, options->library);
    return writer_unit_of(w, &w->head);
}

static void writer_free(struct mcap_writer *w)
{
    const struct mcap_method *method = mcap_method(w->compression);

    if (method && w->compressor)
        method->compressor_free(w->compressor);
    mcap_buffer_free(&w->schemas.records);
    mcap_buffer_free(&w->channels.records);
    free(w->schemas.each);
    free(w->channels.each);
    mcap_chunk_free(&w->chunk);
    mcap_buffer_free(&w->packed);
    mcap_buffer_free(&w->head);
    mcap_buffer_free(&w->index);
    mcap_summary_free(&w->summary);
    free(w);
}

static bool writer_compressor(struct mcap_writer *w)
{
    const struct mcap_method *method = mcap_method(w->compression);

    if (!method)
        return true;
    if (!method->available) {
        errno = ENOTSUP;
        return false;
    }
    w->compressor = method->compressor();
    if (!w->compressor)
        errno = ENOMEM;
    return w->compressor != NULL;
}

bool mcap_writer_fits(int fd)
{
    struct stat st;

    return fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
           (st.st_size == 0 && lseek(fd, 0, SEEK_CUR) == 0);
}

struct mcap_writer *mcap_writer_new(int fd, const struct mcap_writer_options *options)
{
    struct mcap_writer *w = calloc(1, sizeof(*w));
    int error;

    if (!w)
        return NULL;
    w->sink =
        (struct mcap_sink){.fd = fd, .patience = options->patience, .context = options->context};
    w->compression = options->compression;
    w->chunk_size = options->chunk_size ? options->chunk_size : WRITER_CHUNK_DEFAULT;
    if (w->chunk_size > WRITER_CHUNK_MAX)
        w->chunk_size = WRITER_CHUNK_MAX;
    if (writer_compressor(w) && writer_begin(w, options))
        return w;
    error = errno;
    writer_free(w);
    errno = error;
    return NULL;
}

/* Append the records of a channel and its schema that the file does not have yet. */
static bool writer_define(struct mcap_writer *w, const struct writer_definitions *all,
                          struct writer_definition *d, struct mcap_buffer *to)
{
    if (d->unit != WRITER_PENDING)
        return true;
    mcap_buffer_append(to, all->records.at + d->at, d->size);
    d->unit = w->units;
    return !to->failed;
}

static bool writer_define_channel(struct mcap_writer *w, struct writer_definition *channel,
                                  struct mcap_buffer *to)
{
    if (channel->schema &&
        !writer_define(w, &w->schemas, &w->schemas.each[channel->schema - 1], to))
        return false;
    return writer_define(w, &w->channels, channel, to);
}

/* Definitions without messages, outside of chunks. */
static bool writer_define_rest(struct mcap_writer *w)
{
    size_t i;

    w->head.size = 0;
    for (i = 0; i < w->schemas.count; i++)
        writer_define(w, &w->schemas, &w->schemas.each[i], &w->head);
    for (i = 0; i < w->channels.count; i++)
        writer_define(w, &w->channels, &w->channels.each[i], &w->head);
    return w->head.size == 0 && !w->head.failed ? true : writer_unit_of(w, &w->head);
}

/* Room for one more definition. */
static struct writer_definition *writer_definition_new(struct writer_definitions *all)
{
    struct writer_definition *grown;

    if (all->count == WRITER_IDS) {
        errno = ENOSPC;
        return NULL;
    }
    if (all->count == all->room) {
        grown = mcap_array_grow(all->each, &all->room, all->count + 1, sizeof(*grown));
        if (!grown)
            return NULL;
        all->each = grown;
    }
    return &all->each[all->count];
}

/* Its record has been encoded behind those before. */
static uint16_t writer_definition_add(struct writer_definitions *all, struct writer_definition *d,
                                      size_t at, uint16_t schema, bool ok)
{
    if (!ok || all->records.failed) {
        all->records.size = at;
        errno = all->records.failed ? ENOMEM : errno;
        all->records.failed = false;
        return 0;
    }
    *d = (struct writer_definition){
        .at = at, .size = all->records.size - at, .unit = WRITER_PENDING, .schema = schema};
    return (uint16_t)++all->count;
}

uint16_t mcap_writer_schema(struct mcap_writer *w, const struct mcap_schema *schema)
{
    struct writer_definition *d;
    struct mcap_schema copy = *schema;
    size_t at = w->schemas.records.size;

    if (schema->size > MCAP_DATA_MAX) {
        errno = EMSGSIZE;
        return 0;
    }
    d = writer_failed(w) ? NULL : writer_definition_new(&w->schemas);
    if (!d)
        return 0;
    copy.id = (uint16_t)(w->schemas.count + 1);
    mcap_encode_schema(&w->schemas.records, &copy);
    return writer_definition_add(&w->schemas, d, at, 0, true);
}

uint16_t mcap_writer_channel(struct mcap_writer *w, const struct mcap_channel *channel)
{
    struct writer_definition *d;
    struct mcap_channel copy = *channel;
    size_t at = w->channels.records.size;
    bool ok;

    if (channel->schema > w->schemas.count) {
        errno = EINVAL;
        return 0;
    }
    d = writer_failed(w) ? NULL : writer_definition_new(&w->channels);
    if (!d)
        return 0;
    copy.id = (uint16_t)(w->channels.count + 1);
    ok = mcap_encode_channel(&w->channels.records, &copy);
    return writer_definition_add(&w->channels, d, at, channel->schema, ok);
}

/* The records of the chunk as they are written: compressed, if that is smaller. */
struct writer_payload {
    const char *compression;
    const void *data;
    size_t size;
    const uint32_t *crc;
    uint32_t records_crc;
};

static bool writer_pack(struct mcap_writer *w, struct writer_payload *p)
{
    const struct mcap_method *method = mcap_method(w->compression);
    const struct mcap_buffer *records = &w->chunk.records;

    p->records_crc = crc32_of(0, records->at, records->size);
    if (method && !method->compress(w->compressor, records->at, records->size, &w->packed)) {
        errno = ENOMEM;
        return writer_fail(w);
    }
    if (method && w->packed.size < records->size) {
        p->compression = mcap_compression_text(w->compression);
        p->data = w->packed.at;
        p->size = w->packed.size;
        p->crc = NULL;
    } else {
        p->compression = "";
        p->data = records->at;
        p->size = records->size;
        p->crc = &p->records_crc;
    }
    return true;
}

static void writer_chunk_head(struct mcap_writer *w, const struct writer_payload *p)
{
    struct mcap_buffer *b = &w->head;

    b->size = 0;
    mcap_record_begin(b, MCAP_CHUNK);
    mcap_put64(b, w->chunk.first);
    mcap_put64(b, w->chunk.last);
    mcap_put64(b, w->chunk.records.size);
    mcap_put32(b, p->records_crc);
    mcap_put_text(b, mcap_text(p->compression));
    mcap_put64(b, p->size);
    if (!b->failed)
        mcap_store64(b->at + 1, b->size - MCAP_RECORD_HEADER + p->size);
}

/* The indexes behind the chunk, and the chunk's in the summary. */
static size_t writer_chunk_index(struct mcap_writer *w, struct mcap_location *at)
{
    size_t begin = mcap_summary_chunk(&w->summary, at), i;

    w->index.size = 0;
    for (i = 0; i < w->chunk.used_count; i++) {
        mcap_summary_place(&w->summary, w->chunk.used[i], at->offset + at->length + w->index.size);
        mcap_chunk_index(&w->chunk, w->chunk.used[i], &w->index);
    }
    at->index_length = w->index.size;
    mcap_summary_chunk_end(&w->summary, begin, at);
    return begin;
}

static bool writer_chunk_counts(struct mcap_writer *w)
{
    size_t i;

    mcap_summary_times(&w->summary, w->chunk.first, w->chunk.last);
    for (i = 0; i < w->chunk.used_count; i++) {
        uint16_t channel = w->chunk.used[i];

        if (!mcap_summary_count(&w->summary, channel, w->chunk.lists[channel].count))
            return writer_fail(w);
    }
    return true;
}

static bool writer_chunk_write(struct mcap_writer *w, const struct writer_payload *p)
{
    struct mcap_part parts[] = {
        {.data = w->head.at, .size = w->head.size},
        {.data = p->data, .size = p->size, .crc = p->crc},
        {.data = w->index.at, .size = w->index.size},
    };

    if (w->head.failed || w->index.failed || w->summary.chunks.failed) {
        errno = ENOMEM;
        return writer_fail(w);
    }
    return writer_unit(w, parts, 3);
}

static bool writer_chunk_end(struct mcap_writer *w)
{
    struct writer_payload p;
    struct mcap_location at = {.first = w->chunk.first, .last = w->chunk.last};
    size_t begin;

    if (w->chunk.count == 0)
        return true;
    if (!writer_pack(w, &p))
        return false;
    writer_chunk_head(w, &p);
    at.offset = w->sink.offset;
    at.length = w->head.size + p.size;
    at.compression = mcap_text(p.compression);
    at.compressed = p.size;
    at.uncompressed = w->chunk.records.size;
    begin = writer_chunk_index(w, &at);
    if (!writer_chunk_write(w, &p)) {
        mcap_summary_chunk_undo(&w->summary, begin);
        return false;
    }
    if (!writer_chunk_counts(w))
        return false;
    mcap_chunk_clear(&w->chunk);
    return true;
}

bool mcap_writer_message(struct mcap_writer *w, const struct mcap_message *message)
{
    size_t size = MCAP_RECORD_HEADER + MCAP_MESSAGE_FIXED + message->size;

    if (writer_failed(w))
        return false;
    if (message->channel == 0 || message->channel > w->channels.count ||
        message->size > MCAP_DATA_MAX) {
        errno = message->size > MCAP_DATA_MAX ? EMSGSIZE : EINVAL;
        return false;
    }
    if (w->chunk.count && w->chunk.records.size + size > w->chunk_size && !writer_chunk_end(w))
        return false;
    if (!writer_define_channel(w, &w->channels.each[message->channel - 1], &w->chunk.records) ||
        !mcap_chunk_message(&w->chunk, message)) {
        errno = ENOMEM;
        return writer_fail(w);
    }
    w->messages++;
    return w->chunk.records.size < w->chunk_size || writer_chunk_end(w);
}

bool mcap_writer_attachment(struct mcap_writer *w, const struct mcap_attachment *attachment)
{
    struct mcap_part parts[3];
    uint64_t offset;
    uint8_t crc[sizeof(uint32_t)];

    if (attachment->size > MCAP_DATA_MAX) {
        errno = EMSGSIZE;
        return false;
    }
    if (!mcap_writer_flush(w))
        return false;
    w->head.size = 0;
    mcap_encode_attachment(&w->head, attachment);
    if (w->head.failed) {
        errno = ENOMEM;
        return writer_fail(w);
    }
    mcap_store32(crc, crc32_of(crc32_of(0, w->head.at + MCAP_RECORD_HEADER,
                                        w->head.size - MCAP_RECORD_HEADER),
                               attachment->data, attachment->size));
    parts[0] = (struct mcap_part){.data = w->head.at, .size = w->head.size};
    parts[1] = (struct mcap_part){.data = attachment->data, .size = attachment->size};
    parts[2] = (struct mcap_part){.data = crc, .size = sizeof(crc)};
    offset = w->sink.offset;
    if (!writer_unit(w, parts, 3))
        return false;
    mcap_summary_attachment(&w->summary, offset, w->sink.offset - offset, attachment);
    return true;
}

bool mcap_writer_metadata(struct mcap_writer *w, struct mcap_text name,
                          const struct mcap_pair *pairs, size_t count)
{
    uint64_t offset;

    if (w->sink.broken || (!w->error && !writer_chunk_end(w))) {
        errno = w->error;
        return false;
    }
    w->head.size = 0;
    if (!mcap_encode_metadata(&w->head, name, pairs, count))
        return false;
    offset = w->sink.offset;
    if (!writer_unit_of(w, &w->head))
        return false;
    mcap_summary_metadata(&w->summary, offset, w->sink.offset - offset, name);
    return true;
}

bool mcap_writer_flush(struct mcap_writer *w)
{
    return !writer_failed(w) && writer_chunk_end(w);
}

uint64_t mcap_writer_messages(const struct mcap_writer *w)
{
    return w->messages;
}

uint64_t mcap_writer_bytes(const struct mcap_writer *w)
{
    return w->sink.offset;
}

uint64_t mcap_writer_count(const struct mcap_writer *w, uint16_t channel)
{
    return channel < w->summary.counts_room ? w->summary.counts[channel] : 0;
}

/* The records of all definitions that are in the file. */
static uint32_t writer_collect(const struct mcap_writer *w, const struct writer_definitions *all,
                               struct mcap_buffer *to)
{
    uint32_t n = 0;
    size_t i;

    for (i = 0; i < all->count; i++) {
        if (all->each[i].unit < w->units) {
            mcap_buffer_append(to, all->records.at + all->each[i].at, all->each[i].size);
            n++;
        }
    }
    return n;
}

static bool writer_end(struct mcap_writer *w)
{
    struct mcap_summary *s = &w->summary;

    s->statistics.schemas = writer_collect(w, &w->schemas, &s->schemas);
    s->statistics.channels = writer_collect(w, &w->channels, &s->channels);
    return !w->sink.broken && mcap_summary_write(s, &w->sink);
}

bool mcap_writer_finish(struct mcap_writer *w)
{
    bool ok;
    int error;

    if (!w)
        return true;
    if (mcap_writer_flush(w))
        writer_define_rest(w);
    ok = writer_end(w);
    error = w->error ? w->error : errno;
    ok = ok && !w->error;
    writer_free(w);
    errno = ok ? errno : error;
    return ok;
}

void mcap_writer_abandon(struct mcap_writer *w)
{
    writer_free(w);
}
