/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - from the clocks of channels to the wall clock */
#ifndef FEED_CLOCK_H
#define FEED_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define FEED_CLOCKS_MAX 16

/* What to add to a clock's times. It is measured each second, because the wall clock is slewed. */
struct feed_clock {
    clockid_t id;
    int64_t offset;
    int64_t measured; /* when, on CLOCK_MONOTONIC */
};

struct feed_clocks {
    struct feed_clock clocks[FEED_CLOCKS_MAX];
    size_t n;
};

int64_t feed_clock_now(clockid_t clock);

/* now: on CLOCK_MONOTONIC. */
int64_t feed_clock_offset(struct feed_clocks *c, clockid_t clock, int64_t now);

#endif
