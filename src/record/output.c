/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach.h"
#include "complain.h"
#include "description.h"
#include "filelock.h"
#include "missed.h"
#include "monotonic.h"
#include "part.h"

/* The most that is lost when the recorder is killed, or, but for the disk's own time, when power fails. */
#define FLUSH_NS 1000000000

/* How long the end of a recording waits for the reader of a pipe that reads nothing. */
#define PATIENCE_MS 5000

struct record_schema {
    struct record_schema *next;
    const struct feed_topic *topic; /* the first one with it */
    uint16_t id;
};

static bool output_fail(struct record_output *o)
{
    if (!o->failed && errno == ENOSPC)
        record_complain("cannot write '%s': the disk is full.%s", o->path,
                        o->writer ? " The file is readable up to here" : "");
    else if (!o->failed && errno == EFBIG)
        record_complain(
            "cannot write '%s': it would be larger than its file system or the limits of this "
            "process allow; see --split-size. The file is readable up to here",
            o->path);
    else if (!o->failed && errno == ETIMEDOUT)
        record_complain("cannot write '%s': its reader has read nothing for %d s", o->path,
                        PATIENCE_MS / 1000);
    else if (!o->failed)
        record_complain("cannot write '%s': %s", o->path, strerror(errno));
    o->failed = true;
    return false;
}

static bool output_patience(void *output, unsigned waited_ms)
{
    const struct record_output *o = output;
    const int64_t ended = __atomic_load_n(&o->ended, __ATOMIC_RELAXED);

    return !ended || waited_ms < PATIENCE_MS ||
           monotonic_ns() - ended < PATIENCE_MS * (int64_t)1000000;
}

void record_output_ending(struct record_output *o)
{
    __atomic_store_n(&o->ended, monotonic_ns(), __ATOMIC_RELAXED);
}

/* Has another program removed or shortened the file, so that all of it is lost? */
static bool output_ruined(struct record_output *o)
{
    const uint64_t written = o->writer ? mcap_writer_bytes(o->writer) : 0;
    struct stat st;

    if (o->ruined || o->fd < 0 || fstat(o->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        (st.st_nlink && (uint64_t)st.st_size >= written))
        return o->ruined;
    if (!o->failed)
        record_complain("'%s' was %s while it was written: what it had is lost", o->path,
                        st.st_nlink ? "shortened" : "removed");
    o->failed = o->ruined = true;
    return true;
}

static bool output_is_stdout(const struct record_output *o)
{
    return strcmp(o->options->output, "-") == 0;
}

/* The second lock has the recorder's pid; see record_trigger. */
static bool output_lock(struct record_output *o)
{
    struct flock pid = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};
    struct stat st;

    if (fstat(o->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return true;
    if (filelock_take(o->fd) == FILELOCK_WRITER) {
        record_complain("'%s' is being written by another recorder", o->path);
        o->failed = true;
        return false;
    }
    fcntl(o->fd, F_SETLK, &pid);
    if (output_is_stdout(o) && !mcap_writer_fits(o->fd)) {
        record_complain(
            "standard output is a file that is not empty, and a recording begins a file");
        o->failed = true;
        return false;
    }
    return ftruncate(o->fd, 0) == 0 || output_fail(o);
}

/* A pipe does not block, but other processes that have it must not notice. */
static int output_open_stdout(void)
{
    static const char path[] = "/proc/self/fd/1";
    int fd = record_is_fifo(path) ? open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;

    return fd >= 0 ? fd : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

static bool output_create(struct record_output *o)
{
    const bool there = o->options->force || record_is_fifo(o->path);
    const int flags = O_WRONLY | O_NONBLOCK | O_CREAT | O_CLOEXEC | (there ? 0 : O_EXCL);

    o->fd = output_is_stdout(o) ? output_open_stdout() : open(o->path, flags, 0666);
    if (o->fd < 0 && errno == EEXIST) {
        record_complain("'%s' exists already; --force replaces it", o->path);
        o->failed = true;
        return false;
    }
    return o->fd >= 0 ? output_lock(o) : output_fail(o);
}

static bool output_same_schema(const struct feed_topic *a, const struct feed_topic *b)
{
    return strcmp(a->schema_name, b->schema_name) == 0 &&
           strcmp(a->schema_encoding, b->schema_encoding) == 0 &&
           a->schema_size == b->schema_size && memcmp(a->schema, b->schema, a->schema_size) == 0;
}

/* 0: the topic has none. */
static bool output_schema(struct record_output *o, const struct feed_topic *t, uint16_t *id)
{
    const struct mcap_schema schema = {.name = mcap_text(t->schema_name),
                                       .encoding = mcap_text(t->schema_encoding),
                                       .data = t->schema,
                                       .size = t->schema_size};
    struct record_schema *s;

    *id = 0;
    if (!*t->schema_name)
        return true;
    for (s = o->schemas; s; s = s->next)
        if (output_same_schema(s->topic, t)) {
            *id = s->id;
            return true;
        }
    s = calloc(1, sizeof(*s));
    if (!s)
        return false;
    *s = (struct record_schema){o->schemas, t, mcap_writer_schema(o->writer, &schema)};
    o->schemas = s;
    *id = s->id;
    return s->id != 0;
}

/* The last message of a map and the like is in each file. */
static bool output_kept(struct record_output *o, struct record_topic *t)
{
    const struct mcap_message m = {.channel = t->channel,
                                   .sequence = t->kept_sequence,
                                   .log_time = (uint64_t)record_wall(),
                                   .publish_time = (uint64_t)record_wall(),
                                   .data = t->kept,
                                   .size = t->kept_size};

    o->dirty = o->dirty || t->kept;
    t->file_copies = t->kept ? 1 : 0;
    return !t->kept || mcap_writer_message(o->writer, &m);
}

static bool output_channel(struct record_output *o, struct record_topic *t)
{
    struct record_description d;
    struct mcap_channel channel = {.topic = mcap_text(t->topic.name),
                                   .encoding = mcap_text(t->topic.encoding)};

    if (t->file == o->file)
        return true;
    record_describe_topic(&d, &t->topic);
    channel.metadata = d.pairs;
    channel.metadata_count = d.n;
    if (!output_schema(o, &t->topic, &channel.schema))
        return output_fail(o);
    t->channel = mcap_writer_channel(o->writer, &channel);
    if (!t->channel && errno == ENOSPC && !o->failed) {
        record_complain("'%s' has as many topics as a file can have; see --split-time", o->path);
        o->failed = true;
    }
    if (!t->channel)
        return output_fail(o);
    t->file = o->file;
    return output_kept(o, t) || output_fail(o);
}

/* Give the file the channels of all topics there are, also of those that have no messages. */
static bool output_channels(struct record_output *o)
{
    struct record_topic *t;
    bool ok = true;

    if (!__atomic_load_n(&o->fresh, __ATOMIC_RELAXED))
        return true;
    pthread_mutex_lock(&o->lock);
    for (t = o->fresh ? o->topics : NULL; t && ok; t = t->next)
        ok = (t->gone && t->file) || output_channel(o, t);
    __atomic_store_n(&o->fresh, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&o->lock);
    return ok;
}

static bool output_begin(struct record_output *o)
{
    const struct mcap_writer_options options = {.compression = o->options->compression,
                                                .chunk_size = o->options->chunk,
                                                .library = "ach",
                                                .profile = "",
                                                .patience = output_patience,
                                                .context = o};
    struct record_description d;

    o->file++;
    o->path = record_path(o->options, o->file);
    if (!o->path) {
        record_complain("%s", strerror(ENOMEM));
        o->failed = true;
        return false;
    }
    if (!output_create(o))
        return false;
    record_sync_begin(&o->sync, o->fd);
    o->writer = mcap_writer_new(o->fd, &options);
    o->begun = o->flushed = monotonic_ns();
    o->fresh = true;
    if (!o->writer)
        return output_fail(o);
    record_describe_host(&d, o->options->version, o->file);
    return mcap_writer_metadata(o->writer, mcap_text("ach"), d.pairs, d.n) || output_fail(o);
}

/* A later part that exists would end the recording when its turn comes. */
static bool output_parts_free(struct record_output *o)
{
    char *there = record_splits(o->options) && !o->options->force
                      ? record_part_there(o->options->output)
                      : NULL;

    if (there)
        record_complain("'%s' exists already; --force replaces it", there);
    o->failed = there != NULL;
    free(there);
    return !o->failed;
}

bool record_output_open(struct record_output *o, const struct record_settings *options)
{
    memset(o, 0, sizeof(*o));
    o->options = options;
    o->fd = o->sync.fd = -1;
    pthread_mutex_init(&o->lock, NULL);
    if (!output_parts_free(o) || !output_begin(o))
        return false;
    return record_attach(o->writer, options) || output_fail(o);
}

/* Messages of a topic in the chunks of this file, without copies, which come first. */
static uint64_t output_written(const struct record_output *o, const struct record_topic *t)
{
    uint64_t n = o->writer && t->file == o->file && !o->ruined
                     ? mcap_writer_count(o->writer, t->channel)
                     : 0;

    return n > t->file_copies ? n - t->file_copies : 0;
}

/* What the file has and lacks. After a failed write that is known only now. */
static void output_count(struct record_output *o, struct record_missed *m)
{
    struct record_topic *t;
    uint64_t written;

    pthread_mutex_lock(&o->lock);
    for (t = o->topics; t; t = t->next) {
        written = output_written(o, t);
        t->file_lost.unwritten = t->file_messages - written;
        record_missed_add(m, t->topic.name, &t->file_lost);
        o->messages += written;
        t->file_lost = (struct record_lost){0};
        t->file_messages = t->file_copies = 0;
    }
    pthread_mutex_unlock(&o->lock);
    record_lost_add(&o->lost, &m->lost);
}

/* A file without the counts of what it lacks must not look complete. */
static bool output_finish(struct record_output *o, struct record_missed *m)
{
    struct mcap_writer *w = o->writer;
    bool told = record_missed_write(m, w);

    o->bytes += mcap_writer_bytes(w);
    o->writer = NULL;
    if (told)
        return mcap_writer_finish(w);
    mcap_writer_abandon(w);
    return false;
}

static void output_free_schemas(struct record_output *o)
{
    struct record_schema *s;

    while ((s = o->schemas) != NULL) {
        o->schemas = s->next;
        free(s);
    }
}

static bool output_end(struct record_output *o)
{
    struct record_missed missed;

    record_missed_init(&missed);
    missed.forgotten = __atomic_exchange_n(&o->forgotten, 0, __ATOMIC_RELAXED);
    if (o->writer && !mcap_writer_flush(o->writer))
        output_fail(o);
    output_ruined(o);
    output_count(o, &missed);
    if (o->writer && !output_finish(o, &missed))
        output_fail(o);
    record_missed_finish(&missed);
    if (!record_sync_end(&o->sync))
        output_fail(o);
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
    output_free_schemas(o);
    free(o->path);
    o->path = NULL;
    return !o->failed;
}

/* What was missed or dropped behind the last message of a topic. */
static void output_tails(struct record_output *o)
{
    struct record_topic *t;

    for (t = o->topics; t; t = t->next) {
        if (record_lost_total(&t->lost) && o->writer && !o->failed)
            output_channel(o, t);
        record_lost_add(&t->file_lost, &t->lost);
    }
}

/* With --force, a recording that had more parts than this one. */
static void output_tell_older(const struct record_output *o)
{
    char *next = record_part(o->options->output, o->file + 1);

    if (next && access(next, F_OK) == 0)
        record_complain("'%s' and what follows it are parts of an older recording", next);
    free(next);
}

bool record_output_close(struct record_output *o)
{
    struct record_topic *t;
    bool ok;

    if (o->writer && !o->failed)
        output_channels(o);
    output_tails(o);
    ok = output_end(o);
    if (record_splits(o->options) && o->file)
        output_tell_older(o);
    while ((t = o->topics) != NULL) {
        o->topics = t->next;
        record_topic_free(t);
    }
    pthread_mutex_destroy(&o->lock);
    return ok;
}

void record_output_add(struct record_output *o, struct record_topic *t)
{
    pthread_mutex_lock(&o->lock);
    t->next = o->topics;
    o->topics = t;
    __atomic_store_n(&o->fresh, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&o->lock);
}

void record_output_remove(struct record_output *o, struct record_topic *t)
{
    pthread_mutex_lock(&o->lock);
    t->gone = true;
    pthread_mutex_unlock(&o->lock);
}

static bool output_is_full(const struct record_output *o)
{
    const double age = (double)(monotonic_ns() - o->begun) / 1e9;

    return (o->options->split_size && mcap_writer_bytes(o->writer) >= o->options->split_size) ||
           (o->options->split_time > 0 && age >= o->options->split_time);
}

static bool output_split(struct record_output *o)
{
    return output_end(o) && output_begin(o);
}

static void output_keep(struct record_topic *t, const struct record_entry *e)
{
    size_t size = (size_t)e->length;
    void *copy = t->topic.keep ? malloc(size + 1) : NULL;

    if (!copy)
        return;
    memcpy(copy, e + 1, size);
    free(t->kept);
    t->kept = copy;
    t->kept_size = size;
    t->kept_sequence = e->sequence;
}

/* Is there a file that has the topic? */
static bool output_ready(struct record_output *o, struct record_topic *t)
{
    if (o->failed || (record_splits(o->options) && output_is_full(o) && !output_split(o)))
        return false;
    return output_channels(o) && output_channel(o, t);
}

bool record_output_message(struct record_output *o, const struct record_entry *e)
{
    const struct record_lost lost = {
        .overwritten = e->overwritten, .dropped = e->dropped, .oversized = e->oversized};
    struct record_topic *t = e->topic;
    bool ready = output_ready(o, t);
    struct mcap_message m = {.channel = t->channel,
                             .sequence = e->sequence,
                             .log_time = (uint64_t)e->put,
                             .publish_time = (uint64_t)e->put,
                             .data = e + 1,
                             .size = (size_t)e->length};

    record_lost_add(&t->file_lost, &lost);
    t->file_messages++;
    if (!ready)
        return false;
    if (!mcap_writer_message(o->writer, &m))
        return output_fail(o);
    output_keep(t, e);
    o->dirty = true;
    return true;
}

static int64_t output_flush(struct record_output *o)
{
    int64_t now = monotonic_ns();

    if (o->failed || !output_channels(o))
        return INT64_MAX;
    if (now - o->flushed < FLUSH_NS)
        return o->dirty ? o->flushed + FLUSH_NS : INT64_MAX;
    if (o->dirty && !output_ruined(o) &&
        !(mcap_writer_flush(o->writer) && record_sync_want(&o->sync)))
        output_fail(o);
    o->dirty = false;
    o->flushed = now;
    return INT64_MAX;
}

int64_t record_output_flush(struct record_output *o)
{
    int64_t next = output_flush(o);
    uint64_t present = o->writer ? mcap_writer_bytes(o->writer) : 0;

    __atomic_store_n(&o->written, o->bytes + present, __ATOMIC_RELAXED);
    return next;
}

uint64_t record_output_bytes(const struct record_output *o)
{
    return __atomic_load_n(&o->written, __ATOMIC_RELAXED);
}
