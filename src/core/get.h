/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * get.h - how a message comes out of a channel
 *
 * A reader takes no lock and writes nothing (G4, G8). It reads the commit word,
 * which names the newest entry (G1), copies the message it wants, and then
 * looks whether the message's entry still carries its sequence: if not, a
 * writer has needed the room meanwhile, and the reader starts over (G2). It
 * starts over a bounded number of times (G7).
 *
 * Any number of readers may run beside any number of writers; a cursor belongs
 * to one thread at a time.
 */
#ifndef ACHI_GET_H
#define ACHI_GET_H

#include "geometry.h"

/* How often a get starts over before it reports nothing new. */
#define ACHI_GET_TRIES 32

/* How far a reader has come. */
struct achi_cursor {
    uint64_t seen;        /* sequence of the last message got or flushed */
    uint64_t stamp;       /* its timestamp */
    uint64_t missed_last; /* missed right before it */
    uint64_t missed;
    uint64_t received;
    uint64_t overtaken; /* times it started over */
};

/* A message in place. */
struct achi_look {
    const struct achi_entry *entry;
    const unsigned char *place;
    uint64_t seq;
    uint64_t size;
    uint64_t stamp;
};

/*
 * Get a message as ACH_O_LAST and ACH_O_COPY in options say.
 *
 * buf NULL: do not copy; on success *look is the message in place.
 * On ACH_OK, ACH_MISSED_FRAME and ACH_OVERFLOW *look is filled in.
 * On ACH_EAGAIN *word is the commit word that said so: wait for it to change.
 */
enum ach_status achi_get(const struct achi_view *v, struct achi_cursor *cur, void *buf,
                         uint64_t size, int options, struct achi_look *look, uint32_t *word);

/* Is there something that the cursor has not seen? ACH_OK, or as achi_get. */
enum ach_status achi_peek(const struct achi_view *v, const struct achi_cursor *cur, uint32_t *word);

/* Is a message that was looked at still the same? */
bool achi_look_valid(const struct achi_look *look);

/* Move the cursor behind the newest message. */
enum ach_status achi_flush(const struct achi_view *v, struct achi_cursor *cur);

/* The sequence of the newest and of the oldest message, 0 if there are none. */
enum ach_status achi_range(const struct achi_view *v, uint64_t *newest, uint64_t *oldest);

/*
 * Tell writers that somebody waits for the commit word to change from *word,
 * and make *word what to wait for. False: it has changed already.
 */
bool achi_raise(const struct achi_view *v, uint32_t *word);

#endif
