/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump.c - print what is in a file of the format MCAP, as lines of JSON
 *
 * dump FILE: exits with 3 after a file that was cut off, with 1 after a damaged one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "reader.h"

#define CUT 3

static struct json out;
static bool seen[65536];

static void dump_text(const char *key, struct mcap_text t)
{
    json_bytes(&out, key, t.at, t.size);
}

static void dump_begin(const char *what)
{
    json_object(&out, NULL);
    json_string(&out, "record", what);
}

static void dump_end(void)
{
    json_end_object(&out);
    json_line(&out);
}

static void dump_pairs(const struct mcap_pair *pairs, size_t n)
{
    char key[512];
    size_t i;

    json_object(&out, "pairs");
    for (i = 0; i < n; i++) {
        snprintf(key, sizeof(key), "%.*s", (int)pairs[i].key.size, pairs[i].key.at);
        dump_text(key, pairs[i].value);
    }
    json_end_object(&out);
}

static void dump_channel(const struct mcap_reader *r, uint16_t id)
{
    const struct mcap_channel *c = mcap_reader_channel(r, id);
    const struct mcap_schema *s = c ? mcap_reader_schema(r, c->schema) : NULL;

    if (!c || seen[id])
        return;
    seen[id] = true;
    dump_begin("channel");
    json_uint(&out, "id", id);
    dump_text("topic", c->topic);
    dump_text("encoding", c->encoding);
    if (s) {
        dump_text("schema_name", s->name);
        dump_text("schema_encoding", s->encoding);
        json_hex(&out, "schema", s->data, s->size);
    }
    dump_pairs(c->metadata, c->metadata_count);
    dump_end();
}

static void dump_message(const struct mcap_reader *r, const struct mcap_message *m)
{
    dump_channel(r, m->channel);
    dump_begin("message");
    json_uint(&out, "channel", m->channel);
    json_uint(&out, "sequence", m->sequence);
    json_uint(&out, "log_time", m->log_time);
    json_uint(&out, "publish_time", m->publish_time);
    json_hex(&out, "data", m->data, m->size);
    dump_end();
}

static bool dump_metadata(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                          size_t n)
{
    (void)context;
    dump_begin("metadata");
    dump_text("name", name);
    dump_pairs(pairs, n);
    dump_end();
    return true;
}

static bool dump_attachment(void *context, const struct mcap_attachment *a)
{
    (void)context;
    dump_begin("attachment");
    dump_text("name", a->name);
    dump_text("media_type", a->media_type);
    json_hex(&out, "data", a->data, a->size);
    dump_end();
    return true;
}

static void dump_statistics(const struct mcap_reader *r)
{
    struct mcap_statistics s;

    if (!mcap_reader_statistics(r, &s))
        return;
    dump_begin("statistics");
    json_uint(&out, "messages", s.messages);
    json_uint(&out, "channels", s.channels);
    json_uint(&out, "chunks", s.chunks);
    dump_end();
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    struct mcap_reader *r = fd < 0 ? NULL : mcap_reader_new(fd);
    enum mcap_result result;
    struct mcap_message m;
    unsigned id;

    if (!r)
        return 1;
    out.out = stdout;
    while ((result = mcap_reader_next(r, &m)) == MCAP_OK)
        dump_message(r, &m);
    for (id = 1; id < 65536; id++)
        dump_channel(r, (uint16_t)id);
    dump_statistics(r);
    if (result == MCAP_BAD || result == MCAP_CUT)
        fprintf(stderr, "dump: %s\n", mcap_reader_error(r));
    mcap_reader_metadata(r, dump_metadata, NULL);
    mcap_reader_attachments(r, dump_attachment, NULL);
    mcap_reader_free(r);
    return result == MCAP_END ? 0 : result == MCAP_CUT ? CUT : 1;
}
