/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pll.h - a phase-locked loop that predicts the next of periodic events
 *
 * It is locked after some events with the same distance. Then it corrects its phase and its period
 * by a part of each error, passes over events that are missing, and ignores those between two
 * periods. It gives up when too many do not fit.
 */
#ifndef ACHI_PLL_H
#define ACHI_PLL_H

#include <stdbool.h>
#include <stdint.h>

struct achi_pll {
    uint64_t last;         /* event; 0: none */
    double period, jitter; /* nanoseconds; jitter: the mean error of predictions */
    uint64_t next;         /* predicted; 0: not locked */
    unsigned good, bad;    /* events that did and did not fit */
};

/* An event has come. Times are in nanoseconds. */
void achi_pll_event(struct achi_pll *p, uint64_t when);

/* The first prediction after `now`. 0: not locked, or several events are missing. */
uint64_t achi_pll_next(const struct achi_pll *p, uint64_t now);

#endif
