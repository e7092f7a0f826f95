/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outbox.h - what a client has still to be sent, bounded
 *
 * Control frames are sent in their order, and none is dropped: a client that reads none of them is
 * disconnected. Data frames belong to a stream, such as the messages of a subscription. If there is
 * no room for a data frame, older ones are dropped and counted: first those of its stream, then the
 * oldest. So a slow client gets the newest data, and a fast stream drops its own frames before
 * those of slow ones.
 */
#ifndef VIEW_OUTBOX_H
#define VIEW_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blob.h"

#define VIEW_HEAD_MAX 16u

/* A stream of data frames. It belongs to its owner, who calls view_outbox_forget before it ends. */
struct view_stream {
    uint64_t dropped;
    unsigned waiting; /* frames in the outbox */
};

struct view_frame {
    struct view_frame *next;
    struct view_stream *stream; /* NULL: a control frame, or the stream is forgotten */
    bool text, data;
    uint8_t head[VIEW_HEAD_MAX]; /* sent before the blob */
    size_t head_size, sent;
    struct view_blob *blob;
};

struct view_outbox {
    struct view_frame *first, *last;
    size_t control, data; /* bytes */
    size_t control_max, data_max;
    uint64_t dropped; /* frames of all streams */
};

/* Each of these takes over the reference to the blob. False: full, or no memory. */
bool view_outbox_control(struct view_outbox *o, struct view_blob *blob, bool text);

/* A data frame that is larger than data_max is accepted if it is the only one. */
bool view_outbox_data(struct view_outbox *o, struct view_stream *stream, const void *head,
                      size_t head_size, struct view_blob *blob, bool text);

/* Drop the stream's frames, without counting them. A frame that is partly sent stays. */
void view_outbox_forget(struct view_outbox *o, struct view_stream *stream);

size_t view_frame_size(const struct view_frame *f);

/* Copy up to room bytes of what is unsent of the first frame, and count them as sent. */
size_t view_outbox_take(struct view_outbox *o, uint8_t *to, size_t room);

/* Remove the first frame after all its bytes were taken. */
void view_outbox_pop(struct view_outbox *o);

void view_outbox_finish(struct view_outbox *o);

#endif
