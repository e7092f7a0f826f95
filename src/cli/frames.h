/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.h - framing: delimit messages in byte streams */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum framing {
    FRAMES_NONE,   /* the whole stream is one message */
    FRAMES_LINE,   /* a newline after each message */
    FRAMES_NULL,   /* a zero byte after each message */
    FRAMES_LENGTH, /* its length before each message, 4 bytes, little-endian */
};

struct message {
    unsigned char *data;
    size_t len;
    size_t room;
};

enum taken {
    TAKEN_MESSAGE,
    TAKEN_END,      /* the stream is over */
    TAKEN_PARTIAL,  /* it ended within a message */
    TAKEN_EMPTY,    /* a length of 0 */
    TAKEN_TOO_LONG, /* longer than the limit; len is the length with FRAMES_LENGTH */
    TAKEN_ERROR,    /* see errno */
};

/* Read the next message, of at most limit bytes. Empty lines are skipped. */
enum taken take_message(FILE *in, enum framing framing, size_t limit, struct message *m);

/* Write a message. False: see errno. */
bool give_message(FILE *out, enum framing framing, const void *data, size_t len);
bool give_hex(FILE *out, const void *data, size_t len);

/* Decode hexadecimal digits in place. White space is ignored. */
bool decode_hex(struct message *m);

/* Copy these bytes into the message. False: out of memory. */
bool set_message(struct message *m, const void *data, size_t len);

#endif
