/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devices_file.c - a log of devices as a recording
 *
 * Each line becomes the message that a device's channel would hold: a header in wire format and a body in XDR.
 * Data is a topic with the name of the device's channel. Answers to requests, which tell geometry, are topics of their own.
 * A log of devices has no end mark and skips what is wrong, so wrong lines are counted and do not end it.
 */
#include <ach.h>
#include <ach/message.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../drivers/log/line.h"
#include "keys.h"
#include "stream.h"
#include "topic.h"

/* Room for the longest body in hexadecimal, and the rest of its line. */
#define LINE_MAX_BYTES ((size_t)3u * ACH_BODY_MAX)
#define LINE_PIECE 65536u

struct devices_state {
    struct source source;
    char piece[LINE_PIECE];
    size_t at, end; /* in the piece */
    char *line;
    size_t size, room;
    uint64_t number, wrong;
    char first_wrong[200];
    unsigned char *frame;
    size_t frame_room;
};

static bool devices_open(struct logs_file *f)
{
    struct devices_state *d = calloc(1, sizeof(*d));

    f->state_of_reader = d;
    if (!d)
        return logs_fail(f, "unreadable: no memory");
    source_init(&d->source, f->fd);
    return true;
}

static void devices_close(struct logs_file *f)
{
    struct devices_state *d = f->state_of_reader;

    source_finish(&d->source);
    free(d->line);
    free(d->frame);
    free(d);
    f->state_of_reader = NULL;
}

/* Append to the line. False: it is too long, or there is no memory. */
static bool line_keep(struct devices_state *d, const char *bytes, size_t n)
{
    size_t room = d->room ? d->room : 4096;
    char *more;

    if (d->size + n + 1 > LINE_MAX_BYTES)
        return false;
    while (room < d->size + n + 1)
        room *= 2;
    if (room > d->room) {
        more = realloc(d->line, room);
        if (!more)
            return false;
        d->line = more;
        d->room = room;
    }
    memcpy(d->line + d->size, bytes, n);
    d->size += n;
    d->line[d->size] = '\0';
    return true;
}

static bool line_refill(struct logs_file *f, struct devices_state *d)
{
    ssize_t n = source_read(&d->source, d->piece, sizeof(d->piece));

    d->at = 0;
    d->end = n > 0 ? (size_t)n : 0;
    if (n == SOURCE_BAD)
        return logs_fail(f, "damaged after line %" PRIu64 ": the compressed data is wrong",
                         d->number);
    if (n < 0)
        return logs_fail(f, "unreadable: %m");
    return n > 0;
}

/* Read a line without its newline; the last one needs none. False: there is none. */
static bool line_read(struct logs_file *f, struct devices_state *d, bool *too_long)
{
    bool any = false, ended = false;

    d->size = 0;
    *too_long = false;
    while (!ended && (d->at < d->end || line_refill(f, d))) {
        char *from = d->piece + d->at, *newline = memchr(from, '\n', d->end - d->at);
        size_t n = newline ? (size_t)(newline - from) : d->end - d->at;

        any = true;
        ended = newline != NULL;
        d->at += n + ended;
        if (!line_keep(d, from, n))
            *too_long = true;
    }
    d->number += any;
    return any && f->state == LOGS_READING;
}

static void line_wrong(struct devices_state *d, const char *why)
{
    if (d->wrong++ == 0)
        snprintf(d->first_wrong, sizeof(d->first_wrong), "line %" PRIu64 ": %s", d->number, why);
}

/* The next message, which the caller releases; NULL: there is none. */
static ach_message_t *devices_message(struct logs_file *f, struct devices_state *d)
{
    ach_message_t *m;
    bool too_long;

    while (line_read(f, d, &too_long)) {
        ach_status_t status = ACH_EAGAIN;

        if (too_long)
            line_wrong(d, "it is too long");
        else if (d->size)
            status = drv_line_read(d->line, d->size, &m);
        if (status == ACH_OK)
            return m;
        if (status != ACH_EAGAIN)
            line_wrong(d, ach_errstr());
    }
    return NULL;
}

/* A file in which nothing is right is no log. */
static bool devices_end(struct logs_file *f, const struct devices_state *d)
{
    if (f->state == LOGS_DAMAGED)
        return false;
    if (d->wrong && f->messages == 0)
        return logs_fail(f, LOGS_UNKNOWN "; as a log of devices, %s", d->first_wrong);
    f->state = LOGS_COMPLETE;
    if (d->wrong)
        logs_warn(f, "%" PRIu64 " wrong lines of '%s' are skipped; the first: %s", d->wrong,
                  f->path, d->first_wrong);
    return false;
}

static void devices_name(const ach_header_t *h, char *name, size_t room)
{
    const ach_interface_t *interf = ach_interface_by_code(h->address.interf);
    uint32_t robot = h->address.robot ? h->address.robot : ACH_ROBOT_DEFAULT;

    snprintf(name, room, "dev.%u.%.24s.%u.%s", robot, interf ? interf->name : "unknown",
             h->address.index, h->type == ACH_MSG_DATA ? "data" : "answers");
}

static struct logs_topic *devices_topic(struct logs_file *f, const ach_header_t *h)
{
    char name[ACH_CHAN_NAME_MAX];
    struct mcap_pair pair;
    struct logs_topic *t;

    devices_name(h, name, sizeof(name));
    t = logs_topic_find(f->topics, f->index, 0, name);
    if (t)
        return t;
    pair = (struct mcap_pair){mcap_text(LOGS_KEY_CHANNEL), mcap_text(name)};
    return logs_topic_add(f->topics, f->index,
                          &(struct logs_topic_of){.name = mcap_text(name),
                                                  .encoding = mcap_text(LOGS_ENCODING_DEVICE),
                                                  .metadata = &pair,
                                                  .metadata_count = h->type == ACH_MSG_DATA});
}

/* False: no memory. */
static bool devices_frame(struct devices_state *d, const ach_message_t *m, size_t *size)
{
    size_t n;
    const void *body = ach_message_bytes(m, &n);

    *size = ACH_FRAME_HEADER + n;
    if (*size > d->frame_room) {
        unsigned char *more = realloc(d->frame, *size);

        if (!more)
            return false;
        d->frame = more;
        d->frame_room = *size;
    }
    ach_frame_write(ach_message_header(m), (uint32_t)n, d->frame);
    if (n)
        memcpy(d->frame + ACH_FRAME_HEADER, body, n);
    return true;
}

static bool devices_next(struct logs_file *f, struct logs_message *m)
{
    struct devices_state *d = f->state_of_reader;
    ach_message_t *message = devices_message(f, d);
    double ns;
    bool ok;

    if (!message)
        return devices_end(f, d);
    ns = ach_message_header(message)->timestamp * 1e9;
    *m = (struct logs_message){.topic = devices_topic(f, ach_message_header(message))};
    ok = m->topic && devices_frame(d, message, &m->size);
    ach_message_unref(message);
    if (!ok)
        return logs_fail(f, "unreadable: no memory");
    if (!(ns >= 0 && ns < (double)INT64_MAX))
        return logs_fail(f, "damaged: line %" PRIu64 " has an impossible time", d->number);
    m->data = d->frame;
    m->sequence = d->number;
    m->time = m->publish = llround(ns);
    return true;
}

const struct logs_reader logs_devices_reader = {
    .format = LOGS_DEVICES, .open = devices_open, .close = devices_close, .next = devices_next};
