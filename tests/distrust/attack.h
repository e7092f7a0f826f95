/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attack.h - somebody who writes anything anywhere into a channel's memory
 *
 * Knows the layout, so that it hits what matters: the lock word, the commit
 * word, entries, the header. Puts everything right again at times, so that
 * the others get far before the next blow.
 */
#ifndef ATTACK_H
#define ATTACK_H

#include <stddef.h>
#include <stdint.h>

#define ATTACK_TIDS 16

struct attack {
    unsigned char *base; /* the file, mapped */
    unsigned char *good; /* a copy of it, from when it was in order */
    size_t size;
    uint64_t rng;
    const uint32_t *tids; /* threads whose ids make likely lock words */
    unsigned tid_count;
};

/* Map the file. False if that cannot be done. */
int attack_init(struct attack *a, const char *path, uint64_t seed);
void attack_finish(struct attack *a);

/* One blow. */
void attack_step(struct attack *a);

/* Make all good again. */
void attack_heal(struct attack *a);

#endif
