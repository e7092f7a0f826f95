/* SPDX-License-Identifier: BSD-3-Clause */
/* reader.h - get messages of any size from a channel */
#ifndef READER_H
#define READER_H

#include <ach.h>
#include <stdbool.h>

struct reader {
    const char *name;
    bool open;
    bool awaited;      /* it was made after we began to wait for it */
    bool cut;          /* the file of the channel before was cut short */
    unsigned channels; /* how many of this name were opened */
    ach_channel_t chan;
    ach_info_t info; /* when it was opened */
    unsigned char *data;
    size_t size; /* of the message got last */
    size_t room;
};

/* Open a channel for getting, and let signals cancel it. False after complaining. */
bool reader_open(struct reader *r, const char *name);

/*
 * The same, but wait for a channel that does not exist yet, at most for the
 * timeout; NULL is for ever. A directory that does not exist is a failure. Returns
 * ACH_OK; ACH_TIMEOUT; ACH_CANCELED as reader_get does; another status after
 * complaining.
 */
enum ach_status reader_await(struct reader *r, const char *name, const struct timespec *timeout);

/* A get returned this status because the channel was removed, replaced or cut short. */
bool reader_lost(const struct reader *r, enum ach_status status);

/*
 * Wait for another channel of the same name, and read that one from its oldest
 * message on. Returns as reader_await does; after ACH_TIMEOUT, call it again.
 */
enum ach_status reader_reopen(struct reader *r, const struct timespec *timeout);

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
