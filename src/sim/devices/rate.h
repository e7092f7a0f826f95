/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rate.h - the times of a sensor's samples
 *
 * Sample k is at k / rate, rounded to the nanosecond. Each time is computed from k, so
 * that rounding errors do not add up. Integers only. A rate is a multiple of 1e-6 Hz,
 * a fast one (rate.c) of 1e-3 Hz: products then fit 64 bits.
 */
#ifndef SIMD_SIM_RATE_H
#define SIMD_SIM_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define SIMD_RATE_MIN 0.001
#define SIMD_RATE_MAX 1e6

/* The period is numerator / denominator ns. */
struct simd_rate {
    uint64_t numerator, denominator;
};

/* False: hertz is not in SIMD_RATE_MIN to SIMD_RATE_MAX. */
bool simd_rate_set(struct simd_rate *rate, double hertz);

/* The time of sample k, in nanoseconds. */
int64_t simd_rate_time(const struct simd_rate *rate, uint64_t k);

/* The first sample at this time or later. */
uint64_t simd_rate_first(const struct simd_rate *rate, int64_t time);

#endif
