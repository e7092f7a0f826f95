/* SPDX-License-Identifier: BSD-3-Clause */
#include "outbox.h"

#include <stdlib.h>
#include <string.h>

size_t view_frame_size(const struct view_frame *f)
{
    return f->head_size + f->blob->size;
}

/* The memory of the frame itself counts, so that empty ones are bounded, too. */
static size_t frame_cost(const struct view_frame *f)
{
    return view_frame_size(f) + sizeof(*f);
}

static void frame_free(struct view_outbox *o, struct view_frame *f)
{
    if (f->data)
        o->data -= frame_cost(f);
    else
        o->control -= frame_cost(f);
    if (f->stream)
        f->stream->waiting--;
    view_blob_unref(f->blob);
    free(f);
}

static void outbox_remove(struct view_outbox *o, struct view_frame *before, struct view_frame *f)
{
    if (before)
        before->next = f->next;
    else
        o->first = f->next;
    if (o->last == f)
        o->last = before;
    frame_free(o, f);
}

static bool outbox_append(struct view_outbox *o, struct view_frame *f)
{
    if (o->last)
        o->last->next = f;
    else
        o->first = f;
    o->last = f;
    if (f->data)
        o->data += frame_cost(f);
    else
        o->control += frame_cost(f);
    if (f->stream)
        f->stream->waiting++;
    return true;
}

static struct view_frame *frame_new(struct view_blob *blob, bool text)
{
    struct view_frame *f = blob ? calloc(1, sizeof(*f)) : NULL;

    if (!f) {
        view_blob_unref(blob);
        return NULL;
    }
    f->blob = blob;
    f->text = text;
    return f;
}

bool view_outbox_control(struct view_outbox *o, struct view_blob *blob, bool text)
{
    struct view_frame *f = frame_new(blob, text);

    if (!f)
        return false;
    if (o->control + frame_cost(f) > o->control_max) {
        view_blob_unref(f->blob);
        free(f);
        return false;
    }
    return outbox_append(o, f);
}

/* Drop the oldest data frame of a stream, or of any if it is NULL. False: there is none. */
static bool outbox_drop(struct view_outbox *o, const struct view_stream *stream)
{
    struct view_frame *f, *before = NULL;

    for (f = o->first; f; before = f, f = f->next)
        if (f->data && !f->sent && (!stream || f->stream == stream))
            break;
    if (!f)
        return false;
    o->dropped++;
    if (f->stream)
        f->stream->dropped++;
    outbox_remove(o, before, f);
    return true;
}

bool view_outbox_data(struct view_outbox *o, struct view_stream *stream, const void *head,
                      size_t head_size, struct view_blob *blob, bool text)
{
    struct view_frame *f = frame_new(blob, text);

    if (!f)
        return false;
    f->data = true;
    f->stream = stream;
    f->head_size = head_size;
    if (head_size)
        memcpy(f->head, head, head_size);
    while (o->data + frame_cost(f) > o->data_max && stream->waiting && outbox_drop(o, stream))
        continue;
    while (o->data + frame_cost(f) > o->data_max && outbox_drop(o, NULL))
        continue;
    return outbox_append(o, f);
}

void view_outbox_forget(struct view_outbox *o, struct view_stream *stream)
{
    struct view_frame *f, *before = NULL, *next;

    for (f = o->first; f; f = next) {
        next = f->next;
        if (f->stream == stream && !f->sent) {
            outbox_remove(o, before, f);
            continue;
        }
        if (f->stream == stream)
            f->stream = NULL;
        before = f;
    }
    stream->waiting = 0;
}

size_t view_outbox_take(struct view_outbox *o, uint8_t *to, size_t room)
{
    struct view_frame *f = o->first;
    size_t taken = 0, n;

    if (f->sent < f->head_size) {
        n = f->head_size - f->sent < room ? f->head_size - f->sent : room;
        memcpy(to, f->head + f->sent, n);
        f->sent += n;
        taken = n;
    }
    if (f->sent >= f->head_size && taken < room) {
        size_t at = f->sent - f->head_size;

        n = f->blob->size - at < room - taken ? f->blob->size - at : room - taken;
        if (n)
            memcpy(to + taken, f->blob->bytes + at, n);
        f->sent += n;
        taken += n;
    }
    return taken;
}

void view_outbox_pop(struct view_outbox *o)
{
    outbox_remove(o, NULL, o->first);
}

void view_outbox_finish(struct view_outbox *o)
{
    while (o->first)
        view_outbox_pop(o);
}
