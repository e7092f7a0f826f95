/* SPDX-License-Identifier: BSD-3-Clause */
/* contents_show.c - what a recording holds, for people and as JSON */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../table.h"
#include "contents.h"
#include "printable.h"

#define SHOW_METADATA_BYTES 200u

static const char *const show_compressions[] = {"none", "lz4", "zstd"};

/* "zstd, 3 chunks, 1000 of 4000 bytes" */
static void show_compression(const struct mcap_reader *r)
{
    struct mcap_sizes s;
    size_t i;

    if (!mcap_reader_sizes(r, &s))
        return;
    fputs("  chunks    ", stdout);
    if (!(s.chunks[0] + s.chunks[1] + s.chunks[2]))
        fputs("none", stdout);
    for (i = 0; i <= MCAP_ZSTD; i++)
        if (s.chunks[i])
            printf("%" PRIu64 " %s, ", s.chunks[i], i ? show_compressions[i] : "not compressed");
    if (s.uncompressed)
        printf("%" PRIu64 " bytes of %" PRIu64, s.compressed, s.uncompressed);
    putchar('\n');
}

static void show_head(const struct rec_contents *c)
{
    const struct mcap_reader *r = logs_mcap(c->source, 0);
    char first[REC_TIME_TEXT];

    printf("%s\n  format    %s", c->path, rec_contents_format(c));
    if (r && (*mcap_reader_library(r) || *mcap_reader_profile(r))) {
        fputs(", written by ", stdout);
        printable_write(stdout, mcap_reader_library(r), strlen(mcap_reader_library(r)), 80);
        fputs(*mcap_reader_profile(r) ? ", profile " : "", stdout);
        printable_write(stdout, mcap_reader_profile(r), strlen(mcap_reader_profile(r)), 80);
    }
    if (c->bytes >= 0)
        printf("\n  size      %lld bytes", (long long)c->bytes);
    printf("\n  messages  %" PRIu64, c->messages);
    if (c->untimed)
        printf(", %" PRIu64 " of them without a time", c->untimed);
    putchar('\n');
    if (c->messages > c->untimed)
        printf("  start     %s\n  span      %.6f s\n", rec_time_text(c->first, first),
               rec_span(c->first, c->last));
    if (r)
        show_compression(r);
    if (!c->quick)
        printf("  state     %s\n",
               *logs_error(c->source, 0) ? logs_error(c->source, 0) : rec_contents_state(c));
}

static void show_text_cell(struct table *t, const char *text)
{
    char *safe = NULL;
    size_t size;
    FILE *f = open_memstream(&safe, &size);

    if (!f)
        return;
    printable_write(f, text, strlen(text), SIZE_MAX);
    fclose(f);
    table_cell(t, "%s", *safe ? safe : "-");
    free(safe);
}

static void show_rate(struct table *t, double rate)
{
    if (isnan(rate))
        table_cell(t, "-");
    else
        table_cell(t, "%.3f/s", rate);
}

static void show_topic(struct table *table, const struct rec_contents *c, const struct rec_topic *t)
{
    show_text_cell(table, t->topic->name);
    show_text_cell(table, *t->topic->schema_name ? t->topic->schema_name : t->topic->encoding);
    show_text_cell(table, t->topic->encoding);
    table_cell(table, "%" PRIu64, t->messages);
    if (c->quick) {
        table_cell(table, "-");
        table_cell(table, "-");
    } else {
        show_rate(table, rec_rate(c, t));
        table_cell(table, t->messages ? "%zu" : "-", t->largest);
    }
    if (c->quick && !c->told)
        table_cell(table, "-");
    else
        table_cell(table, "%" PRIu64, t->missed);
}

static void show_topics(const struct rec_contents *c)
{
    static const char *const heads[] = {"TOPIC", "TYPE",    "ENCODING", "MESSAGES",
                                        "RATE",  "LARGEST", "MISSED"};
    struct table table = {.align = "lllrrrr"};
    size_t i;

    for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        table_cell(&table, i ? "%s" : "  %s", heads[i]);
    for (i = 0; i < c->n; i++)
        show_topic(&table, c, c->topics[i]);
    if (c->n)
        table_print(&table, stdout, SIZE_MAX, "\n");
    table_finish(&table);
}

static bool show_attachment(void *context, const struct mcap_attachment *a)
{
    (void)context;
    fputs("  attachment ", stdout);
    printable_write(stdout, a->name.at, a->name.size, SIZE_MAX);
    printf(", %zu bytes, ", a->size);
    printable_write(stdout, a->media_type.at, a->media_type.size, 80);
    putchar('\n');
    return true;
}

static bool show_metadata(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                          size_t count)
{
    size_t i;

    (void)context;
    fputs("  metadata ", stdout);
    printable_write(stdout, name.at, name.size, SIZE_MAX);
    putchar('\n');
    for (i = 0; i < count; i++) {
        fputs("    ", stdout);
        printable_write(stdout, pairs[i].key.at, pairs[i].key.size, SIZE_MAX);
        fputs(" = ", stdout);
        if (printable_write(stdout, pairs[i].value.at, pairs[i].value.size, SHOW_METADATA_BYTES) <
            pairs[i].value.size)
            fputs("...", stdout);
        putchar('\n');
    }
    return true;
}

static bool show_can_seek(const struct rec_contents *c)
{
    return logs_mcap(c->source, 0) && logs_seekable(c->source);
}

void rec_contents_print(const struct rec_contents *c)
{
    show_head(c);
    show_topics(c);
    if (show_can_seek(c)) {
        mcap_reader_attachments(logs_mcap(c->source, 0), show_attachment, NULL);
        mcap_reader_metadata(logs_mcap(c->source, 0), show_metadata, NULL);
    }
}

static void json_pairs(struct json *j, const char *name, const struct mcap_pair *pairs,
                       size_t count)
{
    size_t i;

    json_object(j, name);
    for (i = 0; i < count; i++) {
        char key[SHOW_METADATA_BYTES];

        snprintf(key, sizeof(key), "%.*s", (int)(pairs[i].key.size & INT16_MAX), pairs[i].key.at);
        json_bytes(j, key, pairs[i].value.at, pairs[i].value.size);
    }
    json_end_object(j);
}

static bool json_attachment(void *context, const struct mcap_attachment *a)
{
    struct json *j = context;

    json_object(j, NULL);
    json_bytes(j, "name", a->name.at, a->name.size);
    json_bytes(j, "type", a->media_type.at, a->media_type.size);
    json_uint(j, "bytes", a->size);
    json_end_object(j);
    return true;
}

static bool json_metadata(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                          size_t count)
{
    struct json *j = context;

    json_object(j, NULL);
    json_bytes(j, "name", name.at, name.size);
    json_pairs(j, "values", pairs, count);
    json_end_object(j);
    return true;
}

static void json_rate(struct json *j, double rate)
{
    if (isnan(rate))
        json_null(j, "rate");
    else
        json_number(j, "rate", rate);
}

static void json_topic(struct json *j, const struct rec_contents *c, const struct rec_topic *t)
{
    char text[REC_TIME_TEXT];

    json_object(j, NULL);
    json_string(j, "name", t->topic->name);
    json_string(j, "type", t->topic->schema_name);
    json_string(j, "encoding", t->topic->encoding);
    json_string(j, "schema_encoding", t->topic->schema_encoding);
    json_uint(j, "messages", t->messages);
    if (c->quick && !c->told)
        json_null(j, "missed");
    else
        json_uint(j, "missed", t->missed);
    if (!c->quick) {
        json_uint(j, "bytes", t->bytes);
        json_uint(j, "smallest", t->smallest);
        json_uint(j, "largest", t->largest);
        json_rate(j, rec_rate(c, t));
    }
    if (t->timed) {
        json_string(j, "start", rec_time_text(t->first, text));
        json_string(j, "end", rec_time_text(t->last, text));
    }
    json_pairs(j, "metadata", t->topic->metadata, t->topic->metadata_count);
    json_end_object(j);
}

static void json_chunks(struct json *j, const struct mcap_reader *r)
{
    struct mcap_sizes s;
    size_t i;

    if (!mcap_reader_sizes(r, &s))
        return;
    json_object(j, "chunks");
    for (i = 0; i <= MCAP_ZSTD; i++)
        json_uint(j, show_compressions[i], s.chunks[i]);
    json_uint(j, "compressed", s.compressed);
    json_uint(j, "uncompressed", s.uncompressed);
    json_end_object(j);
}

static void json_head(const struct rec_contents *c, struct json *j)
{
    const struct mcap_reader *r = logs_mcap(c->source, 0);
    char text[REC_TIME_TEXT];

    json_string(j, "file", c->path);
    json_string(j, "format", rec_contents_format(c));
    if (!c->quick)
        json_string(j, "state", rec_contents_state(c));
    if (*logs_error(c->source, 0))
        json_string(j, "error", logs_error(c->source, 0));
    if (r) {
        json_string(j, "library", mcap_reader_library(r));
        json_string(j, "profile", mcap_reader_profile(r));
        json_chunks(j, r);
    }
    if (c->bytes >= 0)
        json_uint(j, "bytes", (uint64_t)c->bytes);
    json_uint(j, "messages", c->messages);
    json_uint(j, "untimed", c->untimed);
    if (c->messages > c->untimed) {
        json_string(j, "start", rec_time_text(c->first, text));
        json_string(j, "end", rec_time_text(c->last, text));
        json_number(j, "span", rec_span(c->first, c->last));
    }
}

void rec_contents_json(const struct rec_contents *c, struct json *j)
{
    size_t i;

    json_object(j, NULL);
    json_head(c, j);
    json_array(j, "topics");
    for (i = 0; i < c->n; i++)
        json_topic(j, c, c->topics[i]);
    json_end_array(j);
    json_array(j, "attachments");
    if (show_can_seek(c))
        mcap_reader_attachments(logs_mcap(c->source, 0), json_attachment, j);
    json_end_array(j);
    json_array(j, "metadata");
    if (show_can_seek(c))
        mcap_reader_metadata(logs_mcap(c->source, 0), json_metadata, j);
    json_end_array(j);
    json_end_object(j);
}
