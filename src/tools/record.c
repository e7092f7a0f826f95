/* SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "filelock.h"

/* Flush interval: the most that a log lacks when its recorder is killed. */
#define FLUSH_EVERY_NS 100000000ll

/* The offsets of the clocks seen so far: one per clock, so that logs of one clock merge exactly. */
#define CLOCKS_MAX 16

struct clock_pair {
    clockid_t clock;
    int64_t realtime_ns;
    int64_t clock_ns;
};

static const struct clock_pair *clock_pair(clockid_t clock)
{
    static struct clock_pair pairs[CLOCKS_MAX];
    static size_t n;
    size_t i;

    for (i = 0; i < n; i++)
        if (pairs[i].clock == clock)
            return &pairs[i];
    i = n < CLOCKS_MAX ? n++ : CLOCKS_MAX - 1;
    pairs[i] = (struct clock_pair){clock, tool_clock_ns(CLOCK_REALTIME), tool_clock_ns(clock)};
    return &pairs[i];
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Opening a FIFO without a reader blocks; a signal interrupts it. */
static int record_open_file(const char *path, bool force)
{
    int fd;

    if (is_stdout(path))
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (force ? 0 : O_EXCL), 0666);
    if (fd < 0 && errno == EEXIST)
        tool_complain("'%s' exists already; --force overwrites it", path);
    else if (fd < 0)
        tool_complain("cannot write '%s': %s", path, strerror(errno));
    return fd;
}

/* Truncate the file, unless another recorder has locked it. Pipes and devices are not locked. */
static bool take_file(int fd, const char *path)
{
    struct stat st;

    if (is_stdout(path) || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return true;
    if (filelock_take(fd) == FILELOCK_WRITER) {
        tool_complain("'%s' is being recorded by another achlog", path);
        return false;
    }
    if (ftruncate(fd, 0) == 0)
        return true;
    tool_complain("cannot write '%s': %s", path, strerror(errno));
    return false;
}

static bool begin_log(struct track *t, bool compress)
{
    const struct clock_pair *pair = clock_pair(t->info.clock);
    struct log_info info = {
        .frame_cnt = t->info.frame_cnt,
        .frame_size = t->info.frame_size,
        .clock = t->info.clock,
        .stamped = t->info.timestamps,
        .realtime_ns = pair->realtime_ns,
        .clock_ns = pair->clock_ns,
        .held_known = true,
        .held_seq = t->info.newest,
    };

    snprintf(info.channel, sizeof(info.channel), "%s", t->name);
    if (log_writer_init(&t->log, t->fd, compress, &info) && log_writer_flush(&t->log))
        return true;
    tool_complain("cannot write '%s': %s", t->path, strerror(errno));
    return false;
}

bool track_open(struct track *t, const char *name, const struct record_options *options)
{
    enum ach_status r;

    t->name = name;
    if (!tool_open_for_get(&t->chan, name))
        return false;
    if (options->fresh)
        ach_flush(&t->chan);
    r = ach_channel_info(&t->chan, &t->info);
    t->gone = options->fresh ? 0 : tool_gone(&t->info);
    if (r == ACH_OK)
        return true;
    tool_complain("cannot read the channel '%s': %s", name, tool_status_text(r));
    ach_close(&t->chan);
    return false;
}

bool track_begin(struct track *t, const char *path, const struct record_options *options)
{
    t->path = strdup(path);
    t->fd = t->path ? record_open_file(path, options->force) : -1;
    if (t->fd >= 0 && take_file(t->fd, path) && begin_log(t, options->compress))
        return true;
    if (t->fd >= 0)
        close(t->fd);
    free(t->path);
    ach_close(&t->chan);
    return false;
}

/* Was the log's file unlinked? */
static bool removed(const struct track *t)
{
    struct stat st;

    return !is_stdout(t->path) && fstat(t->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0;
}

bool track_close(struct track *t)
{
    bool gone = removed(t), ok = log_writer_finish(&t->log);

    if (close(t->fd) != 0)
        ok = false;
    if (gone)
        tool_complain("'%s' was removed: the log of '%s' is lost", t->path, t->name);
    else if (!ok && !t->lost)
        tool_complain("cannot write '%s': %s", t->path, strerror(errno));
    t->lost = t->lost || gone || !ok;
    ach_close(&t->chan);
    return !t->lost && !t->failed;
}

void track_finish(struct track *t)
{
    free(t->path);
}

void tracks_cancel(struct track *tracks, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        ach_cancel(&tracks[i].chan, NULL);
}

static void fail(struct track *t, const char *why)
{
    tool_complain("recording of '%s' ends: %s", t->name, why);
    t->ended = true;
    t->failed = true;
}

static void lose(struct track *t, const char *why)
{
    fail(t, why);
    t->lost = true;
}

/* Get a message into the group's buffer, which grows as needed. */
static enum ach_status get(struct group *g, struct track *t, int options, size_t *size)
{
    for (;;) {
        enum ach_status r = ach_get(&t->chan, g->buf, g->room, size, NULL, options);
        unsigned char *p;

        if (r != ACH_OVERFLOW)
            return r;
        p = realloc(g->buf, *size);
        if (!p) {
            fail(t, "no memory for a message");
            return ACH_FAILED_SYSCALL;
        }
        g->buf = p;
        g->room = *size;
    }
}

static bool record_write_message(struct group *g, struct track *t, size_t size)
{
    struct log_message msg = {.size = size, .data = g->buf};
    struct timespec when;

    ach_channel_seq(&t->chan, &msg.seq);
    ach_channel_missed(&t->chan, &msg.missed, NULL);
    if (t->log.messages == 0)
        msg.missed -= msg.missed < t->gone ? msg.missed : t->gone;
    if (t->info.timestamps && ach_channel_timestamp(&t->chan, &when) == ACH_OK)
        msg.time_ns = tool_time_to_ns(&when);
    else
        msg.time_ns = tool_clock_ns(t->info.clock);
    t->untimed += !t->info.timestamps && msg.seq <= t->info.newest;
    if (log_writer_put(&t->log, &msg))
        return true;
    lose(t, errno == EMSGSIZE ? "a message is too large for a log" : strerror(errno));
    return false;
}

/* Record one message. False: there is none, or the channel has ended. */
static bool record_one(struct group *g, struct track *t)
{
    size_t size;
    enum ach_status r = get(g, t, g->options->last ? ACH_O_LAST : 0, &size);

    switch (r) {
    case ACH_OK:
    case ACH_MISSED_FRAME:
        if (!record_write_message(g, t, size))
            return false;
        if (t->log.messages == g->options->count)
            t->ended = true;
        return !t->ended;
    case ACH_EAGAIN:
    case ACH_CANCELED:
        return false;
    default:
        if (!t->ended)
            fail(t, tool_status_text(r));
        return false;
    }
}

/* Record the messages available now, at most frame_cnt: a fast writer must not keep us here. */
static void record_drain(struct group *g, struct track *t)
{
    uint64_t n;

    for (n = 0; n < t->info.frame_cnt; n++)
        if (!record_one(g, t))
            return;
}

static void flush(struct group *g)
{
    size_t i;

    for (i = 0; i < g->n; i++) {
        struct track *t = &g->tracks[i];

        if (!t->lost && !log_writer_flush(&t->log))
            lose(t, strerror(errno));
    }
}

static bool dirty(const struct group *g)
{
    size_t i;

    for (i = 0; i < g->n; i++)
        if (g->tracks[i].log.dirty && !g->tracks[i].lost)
            return true;
    return false;
}

/* Wait for the channels that have not ended. */
static enum ach_status wait_for_some(struct group *g, ach_wait_item_t *items, size_t n,
                                     int64_t until_ns)
{
    struct timespec until = tool_ns_to_time(until_ns);
    enum ach_status r;

    r = ach_wait(items, n, until_ns == INT64_MAX ? NULL : &until, ACH_O_LINKED);
    if (r == ACH_FAILED_SYSCALL || r == ACH_EINVAL || r == ACH_CLOSED) {
        tool_complain("cannot wait for channels: %s", ach_errstr());
        g->tracks[0].failed = true;
    }
    return r;
}

static struct track *track_of(ach_wait_item_t *item)
{
    return (struct track *)((char *)item->chan - offsetof(struct track, chan));
}

/* Handle the results of ach_wait. */
static void serve(struct group *g, ach_wait_item_t *items, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        struct track *t = track_of(&items[i]);

        if (items[i].status == ACH_OK || items[i].status == ACH_CORRUPT) {
            record_drain(g, t);
        } else if (items[i].status == ACH_ENOENT) {
            tool_complain("recording of '%s' ends: the channel was removed", t->name);
            t->ended = true;
        } else if (items[i].status != ACH_EAGAIN) {
            fail(t, tool_status_text(items[i].status));
        }
    }
}

static size_t collect(struct group *g, ach_wait_item_t *items)
{
    size_t i, n = 0;

    for (i = 0; i < g->n; i++)
        if (!g->tracks[i].ended)
            items[n++] = (ach_wait_item_t){.chan = &g->tracks[i].chan};
    return n;
}

/* At the end: record the messages that are still in the channels. */
static void last_round(struct group *g)
{
    size_t i;

    for (i = 0; i < g->n; i++) {
        g->tracks[i].chan.cancel = 0;
        if (!g->tracks[i].ended)
            record_drain(g, &g->tracks[i]);
    }
}

void *group_run(void *group)
{
    struct group *g = group;
    ach_wait_item_t items[ACH_WAIT_MAX];
    int64_t end_ns = g->options->until_ns, flushed_ns = tool_clock_ns(CLOCK_MONOTONIC);
    size_t n;

    while ((n = collect(g, items)) > 0) {
        int64_t until_ns = dirty(g) ? flushed_ns + FLUSH_EVERY_NS : INT64_MAX;
        enum ach_status r = wait_for_some(g, items, n, until_ns < end_ns ? until_ns : end_ns);
        int64_t now_ns = tool_clock_ns(CLOCK_MONOTONIC);

        if (r == ACH_OK)
            serve(g, items, n);
        if (now_ns - flushed_ns >= FLUSH_EVERY_NS) {
            flush(g);
            flushed_ns = now_ns;
        }
        if (now_ns >= end_ns || (r != ACH_OK && r != ACH_TIMEOUT))
            break;
    }
    last_round(g);
    free(g->buf);
    return NULL;
}
