/* SPDX-License-Identifier: BSD-3-Clause */
/* convert_text.c - recordings as CSV and as JSON lines */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../stop.h"
#include "convert.h"
#include "decoders.h"
#include "files.h"

/* The streams of all files. */
struct text_streams {
    FILE **list;
    size_t n;
};

FILE *rec_stream(int fd, const char *path)
{
    FILE *f = fdopen(fd, "w");

    if (!f) {
        complain("cannot write '%s': %s", path, strerror(errno));
        close(fd);
    }
    return f;
}

static FILE *text_open(struct text_streams *s, struct rec_files *files, const struct logs_topic *t)
{
    int fd = rec_files_open(files, t);
    FILE **list, *f = fd < 0 ? NULL : rec_stream(fd, files->path);

    if (!f)
        return NULL;
    list = realloc(s->list, (s->n + 1) * sizeof(FILE *));
    if (!list) {
        complain("no memory");
        fclose(f);
        return NULL;
    }
    s->list = list;
    return s->list[s->n++] = f;
}

static bool text_close(struct text_streams *s, const char *path)
{
    bool ok = true;
    size_t i;

    for (i = 0; i < s->n; i++) {
        bool failed = ferror(s->list[i]);

        if (fclose(s->list[i]) != 0 || failed) {
            if (ok)
                complain("cannot write '%s': %s", path, strerror(errno));
            ok = false;
        }
    }
    free(s->list);
    return ok;
}

/* Columns need a type. In a folder with all topics, those without one are left out. */
static bool text_leave_out(struct rec_decoders *d, const struct rec_files *files,
                           struct logs_topic *t)
{
    ach_channel_type_t type;

    if (!files->temporary || t->user || rec_topic_type(t, &type) ||
        logs_device(t) != LOGS_NO_DEVICE)
        return false;
    complain("'%s' has no type, and so no columns: it is left out", t->name);
    return rec_leave_out(d, t);
}

/* CSV: a stream for each topic. JSON lines: one for all. */
static bool text_messages(struct rec_convert *c, struct rec_files *files, struct text_streams *s,
                          bool csv, struct rec_decoders *d)
{
    struct rec_printing printing = {.format = csv ? FORMAT_CSV : FORMAT_JSON, .plain = csv};
    struct logs_message m;

    while (rec_pick_next(&c->pick, &m)) {
        if (csv && text_leave_out(d, files, m.topic))
            continue;
        if (!m.topic->user && (csv || !s->n)) {
            printing.to = text_open(s, files, m.topic);
            if (!printing.to)
                return false;
        }
        if (!rec_print(d, &printing, &m))
            return false;
        if (s->n && ferror(s->list[s->n - 1]))
            return true; /* text_close complains */
    }
    return true;
}

bool rec_to_text(struct rec_convert *c, bool csv)
{
    struct rec_files files = {
        .path = c->copy.output.path, .suffix = ".csv", .force = c->copy.output.force};
    struct text_streams s = {.n = 0};
    struct rec_decoders d = {.list = NULL};
    bool ok, done;

    if (!rec_files_begin(&files))
        return false;
    ok = text_messages(c, &files, &s, csv, &d);
    done = rec_pick_done(&c->pick);
    ok = text_close(&s, files.path) && ok && !d.failed && !stopped();
    rec_decoders_finish(&d);
    return rec_files_end(&files, ok) && done && !d.left_out;
}
