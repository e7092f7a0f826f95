/* SPDX-License-Identifier: BSD-3-Clause */
/* sender.h - messages of a flow that this side sends */
#ifndef RELAY_SENDER_H
#define RELAY_SENDER_H

#include "link.h"

enum relay_sent {
    RELAY_SENT,       /* a frame was made */
    RELAY_SENT_NONE,  /* there is no message */
    RELAY_SENT_LATER, /* not before f->not_before */
    RELAY_SENT_LOST,  /* the channel was replaced */
    RELAY_SENT_LARGE  /* the message is too large for the limits of the peer */
};

/* Remember what the receiver has. */
void relay_sender_accept(struct relay_flow *f, const struct relay_terms *receiver,
                         uint8_t generation);

/* Begin with the source that was opened, after what the receiver has. */
void relay_sender_begin(struct relay_flow *f);

/* Append one frame of at most `room` bytes. */
enum relay_sent relay_sender_fill(struct relay_flow *f, struct relay_buffer *out, size_t room);

/* The part that is next, of at most `unit` bytes. After it was sent, say so. */
enum relay_sent relay_sender_fragment(struct relay_flow *f, struct relay_fragment *p, size_t unit);
void relay_sender_fragmented(struct relay_flow *f, const struct relay_fragment *p);

#endif
