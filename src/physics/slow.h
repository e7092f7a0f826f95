/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slow.h - physics that takes longer than it needs
 *
 * For experiments: nothing that a controller sees may depend on how fast physics is.
 */
#ifndef ACHI_SLOW_H
#define ACHI_SLOW_H

#include <ach/config.h>
#include <stdbool.h>
#include <stdint.h>

struct achi_slow {
    double factor;   /* seconds of wall time for each second of virtual time */
    bool uneven;     /* each step takes from nothing to twice of that */
    bool burn;       /* compute, rather than sleep */
    uint64_t random; /* state */
    int64_t owed;    /* ns; below 0: a sleep was too long */
};

/* The options "slow", "uneven" and "burn". */
void achi_slow_read(struct achi_slow *s, ach_section_t *options);

/* A step of so many ns has been made. */
void achi_slow_down(struct achi_slow *s, int64_t step);

#endif
