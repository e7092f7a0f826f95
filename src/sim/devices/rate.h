/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rate.h - the times of a sensor's samples
 *
 * Sample k is at k / rate, rounded to the nanosecond: each by itself, so that
 * nothing drifts. Integers only. A rate is kept as a multiple of a millionth of
 * 1 Hz, a fast one as a multiple of a thousandth: products then fit 64 bits.
 */
#ifndef ACHI_SIM_RATE_H
#define ACHI_SIM_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define ACHI_RATE_MIN 0.001
#define ACHI_RATE_MAX 1e6

/* Samples at numerator / denominator ns from each other. */
struct achi_rate {
    uint64_t numerator, denominator;
};

/* False: not from ACHI_RATE_MIN to ACHI_RATE_MAX Hz. */
bool achi_rate_set(struct achi_rate *rate, double hertz);

/* When sample k is, in nanoseconds. */
int64_t achi_rate_time(const struct achi_rate *rate, uint64_t k);

/* The first sample at this time or later. */
uint64_t achi_rate_first(const struct achi_rate *rate, int64_t time);

#endif
