/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attack.h - an attacker that overwrites any part of a channel's memory
 *
 * It knows the layout, so that it hits what matters: the lock word, the commit
 * word, entries, the header. At times it restores everything, so that the other
 * processes get far before the next attack.
 */
#ifndef ATTACK_H
#define ATTACK_H

#include <stddef.h>
#include <stdint.h>

#define ATTACK_TIDS 16

struct attack {
    unsigned char *base; /* the file, mapped */
    unsigned char *good; /* a copy of the intact file */
    size_t size;
    uint64_t rng;
    const uint32_t *tids; /* thread ids to write into the lock word */
    unsigned tid_count;
};

/* Map the file. False if that cannot be done. */
int attack_init(struct attack *a, const char *path, uint64_t seed);
void attack_finish(struct attack *a);

/* Overwrite one word or byte, or at times restore everything. */
void attack_step(struct attack *a);

/* Restore the intact contents. */
void attack_heal(struct attack *a);

#endif
