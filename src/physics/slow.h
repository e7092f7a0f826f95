/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slow.h - slow down physics artificially
 *
 * For experiments: no observation of a controller may depend on the speed of physics.
 */
#ifndef PHYS_SLOW_H
#define PHYS_SLOW_H

#include <ach/config.h>
#include <stdbool.h>
#include <stdint.h>

struct phys_slow {
    double factor;   /* seconds of wall time for each second of virtual time */
    bool uneven;     /* the delay of each step is random, from 0 to twice the factor */
    bool burn;       /* busy-wait instead of sleeping */
    uint64_t random; /* state of the generator */
    int64_t owed;    /* delay still to be made, ns; below 0: the last sleep was too long */
};

/* Read the options "slow", "uneven" and "burn". */
void phys_slow_read(struct phys_slow *s, ach_section_t *options);

/* Delay the caller after a step of this length in ns. */
void phys_slow_down(struct phys_slow *s, int64_t step);

#endif
