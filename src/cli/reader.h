/* SPDX-License-Identifier: BSD-3-Clause */
/* reader.h - get messages of any size from a channel */
#ifndef READER_H
#define READER_H

#include <ach.h>
#include <stdbool.h>

struct reader {
    const char *name;
    bool open;
    bool awaited;      /* the channel did not exist when we began to wait */
    bool cut;          /* the file of the previous channel was truncated */
    unsigned channels; /* number of channels of this name opened so far */
    ach_channel_t chan;
    ach_info_t info; /* as of the opening */
    unsigned char *data;
    size_t size; /* of the last message */
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
 * As ach_get with ACH_O_RELTIME. Flushes standard output before it waits. Returns
 * ACH_CANCELED if that flush fails (main reports the error), if the output pipe is
 * closed while it waits, or after a signal. Only a signal makes stopped() true; the
 * other two are failures.
 */
enum ach_status reader_get(struct reader *r, const struct timespec *timeout, int options);

/*
 * Number of messages missed right before the last one. Messages that were already
 * overwritten when the channel was opened do not count.
 */
uint64_t reader_missed(const struct reader *r);

/* A time in nanoseconds, and the time on CLOCK_MONOTONIC. */
uint64_t to_ns(const struct timespec *t);
uint64_t now_ns(void);

/* Does this status mean that a message was received? */
bool delivered(enum ach_status status);

void reader_close(struct reader *r);

#endif
