/* SPDX-License-Identifier: BSD-3-Clause */
#include "copy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../logs/keys.h"
#include "../../mcap/reader.h"
#include "../stop.h"

#define OFFSET_NOISE 1000000000ll /* ns */

/* A topic's `user` is the id of its channel in the new file, as a pointer. */
static uint16_t topic_id(const struct logs_topic *t)
{
    return (uint16_t)(uintptr_t)t->user;
}

void rec_copy_init(struct rec_copy *c)
{
    *c = (struct rec_copy){.options = {.library = "ach " ACH_VERSION, .profile = ""}};
    if (!mcap_compression_parse("zstd", &c->options.compression) &&
        !mcap_compression_parse("lz4", &c->options.compression))
        c->options.compression = MCAP_NONE;
}

bool rec_copy_option(struct rec_copy *c, int option)
{
    switch (option) {
    case 'o':
        c->output.path = optarg;
        return true;
    case 'f':
        return c->output.force = true;
    case 'Z':
        return mcap_compression_parse(optarg, &c->options.compression) ||
               bad_value("the compression", optarg, "zstd, lz4 or none, as far as this ach has it");
    default:
        usage_hint();
        return false;
    }
}

static uint16_t copy_schema(struct mcap_writer *w, const struct logs_topic *t, bool *ok)
{
    struct mcap_schema s = {.name = mcap_text(t->schema_name),
                            .encoding = mcap_text(t->schema_encoding),
                            .data = t->schema,
                            .size = t->schema_size};
    uint16_t id;

    *ok = true;
    if (!*t->schema_name)
        return 0;
    id = mcap_writer_schema(w, &s);
    *ok = id != 0;
    return id;
}

static bool copy_text(struct mcap_text a, struct mcap_text b)
{
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

/* Each recording measures the offset of a clock anew, and the wall clock is adjusted now and then. */
static bool copy_offset(struct mcap_text a, struct mcap_text b)
{
    char *end_a, *end_b;
    long long x = strtoll(a.at, &end_a, 10), y = strtoll(b.at, &end_b, 10), apart;

    return a.size && b.size && end_a == a.at + a.size && end_b == b.at + b.size &&
           !__builtin_sub_overflow(x, y, &apart) && apart >= -OFFSET_NOISE && apart <= OFFSET_NOISE;
}

static bool copy_pair(const struct mcap_pair *a, const struct mcap_pair *b)
{
    return copy_text(a->key, b->key) &&
           (copy_text(a->value, b->value) ||
            (copy_text(a->key, mcap_text(LOGS_KEY_OFFSET)) && copy_offset(a->value, b->value)));
}

/* Is it the same topic of another recording? Then both become one, with the metadata of the first. */
static bool copy_same(const struct logs_topic *a, const struct logs_topic *b)
{
    size_t i;

    if (strcmp(a->name, b->name) != 0 || strcmp(a->encoding, b->encoding) != 0 ||
        strcmp(a->schema_name, b->schema_name) != 0 ||
        strcmp(a->schema_encoding, b->schema_encoding) != 0 || a->schema_size != b->schema_size ||
        memcmp(a->schema, b->schema, a->schema_size) != 0 || a->metadata_count != b->metadata_count)
        return false;
    for (i = 0; i < a->metadata_count; i++)
        if (!copy_pair(&a->metadata[i], &b->metadata[i]))
            return false;
    return true;
}

/* False: a write failed. */
static bool copy_topic(struct mcap_writer *w, const struct rec_pick *p, struct logs_topic *t)
{
    struct mcap_channel c = {.topic = mcap_text(t->name),
                             .encoding = mcap_text(t->encoding),
                             .metadata = t->metadata,
                             .metadata_count = t->metadata_count};
    bool ok;
    size_t i;

    for (i = 0; i < logs_topics(p->source) && !t->user; i++)
        if (logs_topic(p->source, i)->user && copy_same(logs_topic(p->source, i), t))
            t->user = logs_topic(p->source, i)->user;
    if (t->user)
        return true;
    c.schema = copy_schema(w, t, &ok);
    if (ok)
        t->user = (void *)(uintptr_t)mcap_writer_channel(w, &c);
    return t->user != NULL;
}

static bool copy_message(struct mcap_writer *w, const struct rec_pick *p,
                         const struct logs_message *m)
{
    if (m->time < 0 || m->publish < 0) {
        errno = ERANGE;
        return false;
    }
    return (topic_id(m->topic) || copy_topic(w, p, m->topic)) &&
           mcap_writer_message(w, &(struct mcap_message){.channel = topic_id(m->topic),
                                                         .sequence = (uint32_t)m->sequence,
                                                         .log_time = (uint64_t)m->time,
                                                         .publish_time = (uint64_t)m->publish,
                                                         .data = m->data,
                                                         .size = m->size});
}

/* What is beside the messages belongs to the whole recording, also if only some of it is copied. */
struct copy_rest {
    struct mcap_writer *writer;
    bool part;    /* of the messages only */
    bool failed;  /* a write */
    bool damaged; /* something is missing */
};

static bool copy_attachment(void *context, const struct mcap_attachment *a)
{
    struct copy_rest *c = context;

    c->failed = !mcap_writer_attachment(c->writer, a);
    return !c->failed;
}

static bool copy_metadata(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                          size_t count)
{
    struct copy_rest *c = context;

    /* What the whole recording lacks is not what a part of it lacks; gaps between messages tell that. */
    if (c->part && name.size == strlen(LOGS_MISSED) && memcmp(name.at, LOGS_MISSED, name.size) == 0)
        return true;
    c->failed = !mcap_writer_metadata(c->writer, name, pairs, count);
    return !c->failed;
}

/* Pipes give it between their messages. True: there is one. */
static bool copy_beside_pipes(struct copy_rest *c, const struct logs_source *s)
{
    bool any = false;
    size_t i;

    for (i = 0; i < logs_files(s); i++) {
        struct mcap_reader *r = logs_mcap(s, i);

        any = (r && mcap_reader_beside(r, copy_attachment, copy_metadata, c)) || any;
    }
    return any;
}

static void copy_beside(struct copy_rest *c, const struct logs_source *s)
{
    size_t i;

    for (i = 0; i < logs_files(s) && !c->failed; i++) {
        struct mcap_reader *r = logs_mcap(s, i);
        bool bad;

        if (!r || mcap_reader_beside(r, copy_attachment, copy_metadata, c))
            continue;
        bad = mcap_reader_attachments(r, copy_attachment, c) == MCAP_BAD;
        bad = (!c->failed && mcap_reader_metadata(r, copy_metadata, c) == MCAP_BAD) || bad;
        if (!bad || logs_state(s, i) == LOGS_DAMAGED)
            continue;
        complain("'%s' is damaged: %s", logs_path(s, i), mcap_reader_error(r));
        c->damaged = true;
    }
}

/* Topics without messages, too. */
static bool copy_topics(struct mcap_writer *w, const struct rec_pick *p)
{
    size_t i;

    for (i = 0; i < logs_topics(p->source); i++) {
        struct logs_topic *t = logs_topic(p->source, i);

        if (!t->user && rec_pick_wants(p, t) && !copy_topic(w, p, t))
            return false;
    }
    return true;
}
static bool copy_messages(struct copy_rest *c, struct rec_pick *p)
{
    struct logs_message m;

    while (!c->failed && rec_pick_next(p, &m))
        if (!copy_message(c->writer, p, &m))
            return false;
    return !c->failed;
}

static bool copy_all(struct copy_rest *c, struct rec_pick *p)
{
    const bool pipes = copy_beside_pipes(c, p->source);
    struct logs_message m;

    if (!copy_messages(c, p))
        return false;
    while (pipes && !c->failed && !stopped() && logs_next(p->source, &m))
        ;
    copy_beside(c, p->source);
    return !c->failed && copy_topics(c->writer, p);
}

static bool copy_write(struct rec_copy *c, struct rec_pick *p, bool *damaged)
{
    struct mcap_writer *w = mcap_writer_new(c->output.fd, &c->options);
    struct copy_rest rest = {.writer = w, .part = p->n || p->start > 0 || p->end < INFINITY};
    int error = errno;
    bool ok = w && copy_all(&rest, p);

    if (w && !ok)
        error = errno;
    if (w && !mcap_writer_finish(w) && ok) {
        error = errno;
        ok = false;
    }
    if (!ok) {
        rec_progress_end(&p->progress);
        complain("cannot write '%s': %s", c->output.path, strerror(error));
    }
    *damaged = rest.damaged;
    return ok;
}

/* What was read of a damaged recording is kept, and the exit status tells. */
bool rec_copy_run(struct rec_copy *c, struct rec_pick *p)
{
    bool ok, done, damaged;

    if (!rec_output_begin(&c->output))
        return false;
    if (!mcap_writer_fits(c->output.fd)) {
        complain("standard output is a file that is not empty, and a recording begins a file");
        return rec_output_end(&c->output, false);
    }
    ok = copy_write(c, p, &damaged);
    done = rec_pick_done(p) && !damaged;
    return rec_output_end(&c->output, ok && !stopped()) && done;
}
