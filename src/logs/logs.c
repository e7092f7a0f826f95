/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * logs.c - recordings merged by time
 *
 * Each recording holds its next message; the earliest is returned. Its buffer stays as it is until the call after,
 * so a recording reads on only when it is asked again.
 */
#include "logs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "filelock.h"
#include "topic.h"

struct logs_source {
    struct logs_file *files;
    size_t n;
    struct logs_topics topics;
    struct logs_file *last; /* whose message was returned: it reads on at the next call */
    bool begun;
};

/* A recorder holds the lock while it writes. */
static bool file_is_written(const struct logs_file *f)
{
    struct stat st;

    return fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && filelock_held(f->fd);
}

/* Once for each recording, also if it is played again and again. */
static void file_tell(struct logs_file *f)
{
    if (f->told || f->state == LOGS_READING || f->state == LOGS_COMPLETE)
        return;
    f->told = true;
    if (f->state == LOGS_DAMAGED)
        f->complain("'%s' is %s", f->path, f->error);
    else if (f->state == LOGS_LIVE)
        f->complain("'%s' is being recorded, so it has no end yet", f->path);
    else if (f->sought)
        f->complain("'%s' was cut short", f->path);
    else
        f->complain("'%s' was cut short after %" PRIu64 " messages", f->path, f->messages);
}

/* Read the next message of a recording. */
static void file_advance(struct logs_file *f)
{
    f->passed = f->order;
    f->live = f->state == LOGS_READING && f->reader->next(f, &f->next);
    if (!f->live) {
        if (f->state == LOGS_CUT && file_is_written(f))
            f->state = LOGS_LIVE;
        file_tell(f);
        return;
    }
    f->messages++;
    if (!f->next.untimed && f->next.time > f->order)
        f->order = f->next.time;
    f->next.order = f->order;
}

static bool file_begin(struct logs_file *f)
{
    f->state = LOGS_READING;
    f->messages = 0;
    f->order = f->passed = INT64_MIN;
    if (!f->reader->open(f)) {
        file_tell(f);
        return false;
    }
    return true;
}

static bool file_open(struct logs_file *f)
{
    f->fd = strcmp(f->path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                      : open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) {
        f->complain("cannot open '%s': %s", f->path, strerror(errno));
        return false;
    }
    f->reader = logs_kind(f->fd);
    return file_begin(f);
}

static void file_close(struct logs_file *f)
{
    if (f->state_of_reader)
        f->reader->close(f);
    if (f->fd >= 0)
        close(f->fd);
}

struct logs_source *logs_open(const char *const *paths, size_t n, logs_complain *complain)
{
    struct logs_source *s = calloc(1, sizeof(*s));
    size_t i;

    if (s)
        s->files = calloc(n ? n : 1, sizeof(*s->files));
    if (!s || !s->files) {
        complain("no memory");
        free(s);
        return NULL;
    }
    for (i = 0; i < n; i++) {
        s->files[i] = (struct logs_file){
            .topics = &s->topics, .complain = complain, .index = i, .path = paths[i], .fd = -1};
        s->n++;
        if (!file_open(&s->files[i])) {
            logs_close(s);
            return NULL;
        }
    }
    return s;
}

void logs_close(struct logs_source *s)
{
    size_t i;

    if (!s)
        return;
    for (i = 0; i < s->n; i++)
        file_close(&s->files[i]);
    logs_topics_free(&s->topics);
    free(s->files);
    free(s);
}

static void source_read_on(struct logs_source *s)
{
    size_t i;

    for (i = 0; !s->begun && i < s->n; i++)
        file_advance(&s->files[i]);
    if (s->last)
        file_advance(s->last);
    s->begun = true;
    s->last = NULL;
}

bool logs_next(struct logs_source *s, struct logs_message *m)
{
    struct logs_file *first = NULL;
    size_t i;

    source_read_on(s);
    for (i = 0; i < s->n; i++)
        if (s->files[i].live && (!first || s->files[i].order < first->order))
            first = &s->files[i];
    s->last = first;
    if (first)
        *m = first->next;
    return first != NULL;
}

static bool file_rewind(struct logs_file *f)
{
    if (lseek(f->fd, 0, SEEK_SET) != 0)
        return false;
    if (f->state_of_reader)
        f->reader->close(f);
    return file_begin(f);
}

/* A recording without an index reads on up to the time, if that was not passed. */
static bool file_go(struct logs_file *f, int64_t time)
{
    bool ok = true;

    if (f->reader->seek) {
        ok = f->reader->seek(f, time);
        f->sought = true;
        f->state = ok ? LOGS_READING : f->state;
        f->messages = 0;
        f->order = INT64_MIN;
    } else if (f->messages && f->passed >= time)
        ok = file_rewind(f);
    else if (f->live && f->order >= time)
        return true;
    if (ok)
        file_advance(f);
    return ok;
}

static bool file_seek(struct logs_file *f, int64_t time)
{
    if (!file_go(f, time)) {
        if (f->state != LOGS_DAMAGED)
            f->complain("'%s' cannot be played again: %s", f->path, strerror(errno));
        return false;
    }
    while (f->live && f->order < time)
        file_advance(f);
    return true;
}

bool logs_seek(struct logs_source *s, int64_t time)
{
    size_t i;

    s->begun = true;
    s->last = NULL;
    for (i = 0; i < s->n; i++)
        if (!file_seek(&s->files[i], time))
            return false;
    return true;
}

bool logs_indexed(const struct logs_source *s)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        if (!s->files[i].reader->times || !s->files[i].reader->times(&s->files[i], NULL, NULL))
            return false;
    return true;
}

size_t logs_topics(const struct logs_source *s)
{
    return s->topics.n;
}

struct logs_topic *logs_topic(const struct logs_source *s, size_t i)
{
    return s->topics.list[i];
}

bool logs_topics_complete(const struct logs_source *s)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        if (!s->files[i].reader->complete || !s->files[i].reader->complete(&s->files[i]))
            return false;
    return true;
}

bool logs_times(const struct logs_source *s, int64_t *first, int64_t *last)
{
    int64_t from, to;
    size_t i;

    *first = INT64_MAX;
    *last = INT64_MIN;
    for (i = 0; i < s->n; i++) {
        const struct logs_file *f = &s->files[i];

        if (!f->reader->times || !f->reader->times(f, &from, &to))
            return false;
        *first = from < *first ? from : *first;
        *last = to > *last ? to : *last;
    }
    return *first <= *last;
}

size_t logs_files(const struct logs_source *s)
{
    return s->n;
}

const char *logs_path(const struct logs_source *s, size_t file)
{
    return s->files[file].path;
}

enum logs_format logs_format(const struct logs_source *s, size_t file)
{
    return s->files[file].reader->format;
}

enum logs_state logs_state(const struct logs_source *s, size_t file)
{
    return s->files[file].state;
}

const char *logs_error(const struct logs_source *s, size_t file)
{
    return s->files[file].error;
}

bool logs_verify(struct logs_source *s)
{
    bool ok = true;
    size_t i;

    for (i = 0; i < s->n; i++) {
        struct logs_file *f = &s->files[i];

        if (f->state == LOGS_COMPLETE && f->reader->verify)
            ok = f->reader->verify(f) && ok;
    }
    return ok;
}

bool logs_failed(const struct logs_source *s)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        if (s->files[i].state == LOGS_DAMAGED)
            return true;
    return false;
}

struct mcap_reader *logs_mcap(const struct logs_source *s, size_t file)
{
    const struct logs_file *f = &s->files[file];

    return f->reader->mcap ? f->reader->mcap(f) : NULL;
}

bool logs_seekable(const struct logs_source *s)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        if (lseek(s->files[i].fd, 0, SEEK_CUR) < 0)
            return false;
    return true;
}
