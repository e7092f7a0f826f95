/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chan.h - the one channel of a run, between guard pages
 *
 * Its ring is as small as geometry.h allows, so that a few messages fill it.
 * A mirrored ring is mirrored by the shim's copies: an access past its end
 * that does not go through them hits a guard page.
 */
#ifndef SHIM_CHAN_H
#define SHIM_CHAN_H

#include "../../src/core/geometry.h"
#include "plan.h"

extern struct achi_view chan_view;

/* Make the channel anew. */
void chan_setup(const struct chan_plan *p);

/* Write or compare a message, without steps. place is in the channel. */
void chan_fill(unsigned char *place, uint32_t id, uint64_t n);
bool chan_matches(const unsigned char *place, uint32_t id, uint64_t n);

/* What message id looks like in private memory. */
void message_fill(unsigned char *buf, uint32_t id, uint64_t n);
bool message_matches(const unsigned char *buf, uint32_t id, uint64_t n);

/* Has anything been written where nothing belongs? */
bool chan_gaps_clean(void);

/* Words that a hostile process may rewrite: not the fixed part of the header. */
uint64_t *chan_random_word(uint64_t random);

/* Where a byte really is: a mirrored ring's second half is its first. */
unsigned char *chan_real_place(unsigned char *p);

/* Do these bytes belong to a message's place: the ring or the inside of one entry? */
bool chan_holds(const unsigned char *p, size_t n);

/* How many bytes a message takes of the ring. */
uint64_t chan_used(uint64_t n);

#endif
