/* SPDX-License-Identifier: BSD-3-Clause */
/* reader.h - get messages of any size from a channel */
#ifndef READER_H
#define READER_H

#include <ach.h>
#include <stdbool.h>

struct reader {
    const char *name;
    ach_channel_t chan;
    ach_info_t info; /* when it was opened */
    unsigned char *data;
    size_t size; /* of the message got last */
    size_t room;
};

/* Open a channel for getting, and let signals cancel it. False after complaining. */
bool reader_open(struct reader *r, const char *name);

/*
 * As ach_get with ACH_O_RELTIME. Flushes standard output before it waits; if
 * that fails it does not wait but returns ACH_CANCELED, and main says why. It
 * returns that also if whoever reads our output leaves while it waits: a
 * failure, unlike a signal (stopped).
 */
enum ach_status reader_get(struct reader *r, const struct timespec *timeout, int options);

/*
 * How many messages were missed right before the one got last. What was gone
 * when the channel was opened does not count.
 */
uint64_t reader_missed(const struct reader *r);

/* A time in nanoseconds, and the time on CLOCK_MONOTONIC. */
uint64_t to_ns(const struct timespec *t);
uint64_t now_ns(void);

/* The status is one that delivers a message. */
bool delivered(enum ach_status status);

void reader_close(struct reader *r);

#endif
