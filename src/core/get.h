/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * get.h - how a message comes out of a channel
 *
 * A reader takes no lock and writes nothing (G4, G8). It reads the commit word,
 * which names the newest entry (G1), copies the message it wants, and then
 * checks that the message's entry still carries its sequence. If not, a writer
 * has reused the room meanwhile, and the reader starts over (G2), a bounded
 * number of times (G7).
 *
 * Any number of readers may run beside any number of writers; a cursor belongs
 * to one thread at a time.
 */
#ifndef ACHI_GET_H
#define ACHI_GET_H

#include "geometry.h"

/* Tries of a get before it returns ACH_EAGAIN. */
#define ACHI_GET_TRIES 32

/* The position of a reader, and its counters. */
struct achi_cursor {
    uint64_t seen;        /* sequence of the last message got or flushed */
    uint64_t stamp;       /* its timestamp */
    uint64_t missed_last; /* messages missed right before it */
    uint64_t missed;
    uint64_t received;
    uint64_t overtaken; /* times it started over because a writer was faster */
};

/* A message in the channel's memory. */
struct achi_look {
    const struct achi_entry *entry;
    const unsigned char *place;
    uint64_t seq;
    uint64_t size;
    uint64_t stamp;
};

/*
 * Get the message that ACH_O_LAST and ACH_O_COPY in options select.
 *
 * buf NULL: do not copy; on success *look is the message in place.
 * On ACH_OK, ACH_MISSED_FRAME and ACH_OVERFLOW *look is filled in.
 * On ACH_EAGAIN *word is the commit word that showed nothing new: wait until it changes.
 */
enum ach_status achi_get(const struct achi_view *v, struct achi_cursor *cur, void *buf,
                         uint64_t size, int options, struct achi_look *look, uint32_t *word);

/* ACH_OK: there is a message that the cursor has not seen. Other statuses as achi_get. */
enum ach_status achi_peek(const struct achi_view *v, const struct achi_cursor *cur, uint32_t *word);

/* Has the message stayed valid since *look was filled in? */
bool achi_look_valid(const struct achi_look *look);

/* Move the cursor to the newest message: all messages up to it count as seen. */
enum ach_status achi_flush(const struct achi_view *v, struct achi_cursor *cur);

/*
 * The origin of message seq, which the cursor has seen, in a channel with origins.
 * ACH_EAGAIN: it was overwritten.
 */
enum ach_status achi_origin(const struct achi_view *v, uint64_t seq, struct achi_origin *origin);

/* The sequence of the newest and of the oldest message, 0 if there are none. */
enum ach_status achi_range(const struct achi_view *v, uint64_t *newest, uint64_t *oldest);

/*
 * Set the waiter flag in the commit word, unless *word has it already, and set
 * *word to the value to sleep on. False: the commit word is no longer *word.
 */
bool achi_raise(const struct achi_view *v, uint32_t *word);

#endif
