/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * convert_channels.c - recordings as logs of channels
 *
 * The head of such a log has the geometry of the channel. It is that of the recording, or made from the largest message,
 * for which the recording is read twice.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../logs/keys.h"
#include "../../logs/log.h"
#include "../stop.h"
#include "convert.h"
#include "files.h"
#include "parse.h"

#define CHANNELS_COUNT 16u
#define CHANNELS_ALIGN 64u
#define CHANNELS_CLOCKS 32u

/* The `user` of its topic. */
struct channels_log {
    struct channels_log *next;
    size_t largest;
    bool begun, skipped;
    int fd;
    struct log_info info;
    int64_t offset; /* from the channel's clock to the wall clock */
    struct log_writer writer;
};

struct channels_run {
    struct rec_convert *convert;
    struct rec_files files;
    struct channels_log *logs;
    bool compress;
    uint64_t empty; /* messages that such a log cannot hold */
};

static struct channels_log *channels_of(struct channels_run *r, struct logs_topic *t)
{
    struct channels_log *l = t->user;

    if (l)
        return l;
    l = calloc(1, sizeof(*l));
    if (!l) {
        complain("no memory");
        return NULL;
    }
    l->fd = -1;
    l->next = r->logs;
    r->logs = l;
    t->user = l;
    return l;
}

static uint64_t channels_number(const struct logs_topic *t, const char *key)
{
    const char *text = logs_metadata(t, key);
    uint64_t n = 0;

    if (text)
        parse_count(text, 0, UINT64_MAX, &n);
    return n;
}

static bool channels_sized(const struct logs_topic *t)
{
    return channels_number(t, LOGS_KEY_COUNT) && channels_number(t, LOGS_KEY_SIZE);
}

/* False after complaining. */
static bool channels_measure(struct channels_run *r)
{
    struct rec_pick *p = &r->convert->pick;
    bool sized = logs_topics_complete(p->source);
    struct logs_message m;
    size_t i;

    for (i = 0; i < logs_topics(p->source); i++)
        sized = sized && channels_sized(logs_topic(p->source, i));
    if (sized)
        return true;
    while (rec_pick_next(p, &m)) {
        struct channels_log *l = channels_of(r, m.topic);

        if (!l)
            return false;
        l->largest = m.size > l->largest ? m.size : l->largest;
    }
    return stopped() || rec_pick_rewind(p);
}

/* Logs have the names of channels. */
static void channels_name(const struct logs_topic *t, char *name)
{
    const char *channel = logs_metadata(t, LOGS_KEY_CHANNEL);
    const char *from = channel ? channel : t->name + (*t->name == '/');
    size_t i;

    snprintf(name, ACH_CHAN_NAME_MAX, "%s", *from ? from : "_");
    for (i = 0; name[i]; i++)
        if (name[i] == '/')
            name[i] = '.';
        else if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
                         name[i]))
            name[i] = '_';
    if (name[0] == '.')
        name[0] = '_';
}

static void channels_clock(struct channels_log *l, const struct logs_topic *t,
                           const struct logs_message *m)
{
    const char *clock = logs_metadata(t, LOGS_KEY_CLOCK),
               *offset = logs_metadata(t, LOGS_KEY_OFFSET);
    uint64_t number;
    clockid_t id;

    l->info.clock = CLOCK_REALTIME;
    if (clock && offset) {
        if (parse_clock(clock, &id))
            l->info.clock = id;
        else if (parse_count(clock, 0, CHANNELS_CLOCKS, &number))
            l->info.clock = (int64_t)number;
        l->offset = strtoll(offset, NULL, 10);
    }
    l->info.realtime_ns = m->time;
    if (__builtin_sub_overflow(m->time, l->offset, &l->info.clock_ns)) {
        l->offset = 0;
        l->info.clock = CLOCK_REALTIME;
        l->info.clock_ns = m->time;
    }
}

static void channels_describe(struct channels_log *l, const struct logs_message *m)
{
    const struct logs_topic *t = m->topic;
    const char *stamps = logs_metadata(t, LOGS_KEY_TIMESTAMPS);

    channels_name(t, l->info.channel);
    l->info.frame_cnt = channels_number(t, LOGS_KEY_COUNT);
    l->info.frame_size = channels_number(t, LOGS_KEY_SIZE);
    if (!l->info.frame_cnt || !l->info.frame_size) {
        l->info.frame_cnt = CHANNELS_COUNT;
        l->info.frame_size = (l->largest + CHANNELS_ALIGN) / CHANNELS_ALIGN * CHANNELS_ALIGN;
    }
    channels_clock(l, t, m);
    l->info.stamped = !stamps || strcmp(stamps, "0") != 0;
    l->info.held_known = true;
    l->info.held_seq = m->untimed ? m->sequence : 0;
}

static bool channels_begin(struct channels_run *r, struct channels_log *l,
                           const struct logs_message *m)
{
    if (l->begun)
        return true;
    channels_describe(l, m);
    l->fd = rec_files_open(&r->files, m->topic);
    if (l->fd < 0)
        return false;
    l->begun = true;
    if (log_writer_init(&l->writer, l->fd, r->compress, &l->info))
        return true;
    complain("cannot write '%s': %s", r->files.path, strerror(errno));
    return false;
}

static bool channels_write(struct channels_run *r, struct channels_log *l,
                           const struct logs_message *m)
{
    struct log_message msg = {
        .time_ns = m->time - l->offset, .seq = m->sequence, .missed = m->missed};
    const char *why;

    if (!logs_bare(m, &msg.data, &msg.size, &why)) {
        if (!l->skipped)
            complain("the topic '%s' is left out: its messages %s", m->topic->name, why);
        return l->skipped = true;
    }
    if (!msg.size) {
        r->empty++;
        return true;
    }
    if (!channels_begin(r, l, m))
        return false;
    msg.time_ns = m->time - l->offset;
    if (log_writer_put(&l->writer, &msg))
        return true;
    complain("cannot write '%s': %s", r->files.path, strerror(errno));
    return false;
}

static bool channels_messages(struct channels_run *r)
{
    struct logs_message m;

    while (rec_pick_next(&r->convert->pick, &m)) {
        struct channels_log *l = channels_of(r, m.topic);

        if (!l || !channels_write(r, l, &m))
            return false;
    }
    return true;
}

static bool channels_close(struct channels_run *r, bool ok)
{
    while (r->logs) {
        struct channels_log *l = r->logs;

        r->logs = l->next;
        if (l->begun && !log_writer_finish(&l->writer) && ok) {
            complain("cannot write '%s': %s", r->files.path, strerror(errno));
            ok = false;
        }
        if (l->fd >= 0)
            close(l->fd);
        free(l);
    }
    return ok;
}

static bool channels_any(const struct channels_run *r)
{
    const struct channels_log *l;

    for (l = r->logs; l; l = l->next)
        if (l->begun)
            return true;
    complain("there are no messages to write");
    return false;
}

bool rec_to_channels(struct rec_convert *c)
{
    const char *path = c->copy.output.path;
    size_t n = strlen(path);
    bool gzip = n > 3 && strcmp(path + n - 3, ".gz") == 0, ok, done;
    struct channels_run r = {
        .convert = c,
        .files = {.path = path, .suffix = ".achlog", .force = c->copy.output.force},
        .compress = gzip};

    if (gzip && !gzip_available()) {
        complain("built without zlib: logs cannot be compressed here");
        return false;
    }
    if (!channels_measure(&r) || !rec_files_begin(&r.files)) {
        channels_close(&r, false);
        return false;
    }
    ok = channels_messages(&r);
    done = rec_pick_done(&c->pick);
    ok = ok && !stopped() && channels_any(&r);
    ok = channels_close(&r, ok);
    if (r.empty)
        complain("%" PRIu64 " empty messages are left out: such logs cannot hold them", r.empty);
    return rec_files_end(&r.files, ok) && done;
}
