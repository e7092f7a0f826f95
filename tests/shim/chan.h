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

/* Create the channel anew for a run. */
void chan_setup(const struct chan_plan *p);

/* Write or compare a message in the channel, without scheduler steps. */
void chan_fill(unsigned char *place, uint32_t id, uint64_t n);
bool chan_matches(const unsigned char *place, uint32_t id, uint64_t n);

/* The same in private memory. */
void message_fill(unsigned char *buf, uint32_t id, uint64_t n);
/* The origin of a relayed message. */
struct achi_origin message_origin(uint32_t id);
bool message_matches(const unsigned char *buf, uint32_t id, uint64_t n);

/* Are the bytes around and between the channel's parts unchanged? */
bool chan_gaps_clean(void);

/* A word that a hostile process may rewrite: any but the fixed part of the header. */
uint64_t *chan_random_word(uint64_t random);

/* The memory behind an address: the second half of a mirrored ring maps to its first. */
unsigned char *chan_real_place(unsigned char *p);

/* Do these bytes belong to a message's place: the ring or the inside of one entry? */
bool chan_holds(const unsigned char *p, size_t n);

/* How many bytes of the ring a message of n bytes uses. */
uint64_t chan_used(uint64_t n);

#endif
