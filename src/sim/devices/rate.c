/* SPDX-License-Identifier: BSD-3-Clause */
#include "rate.h"

#include <math.h>

#define FAST 4000.0 /* Hz; below, the denominator's square fits 64 bits */

bool achi_rate_set(struct achi_rate *rate, double hertz)
{
    double unit = hertz < FAST ? 1e6 : 1e3;

    if (!(hertz >= ACHI_RATE_MIN && hertz <= ACHI_RATE_MAX))
        return false;
    rate->numerator = (uint64_t)(1e9 * unit);
    rate->denominator = (uint64_t)llround(hertz * unit);
    return true;
}

/* k = rounds * denominator + rest: the fraction of each round is whole. */
int64_t achi_rate_time(const struct achi_rate *rate, uint64_t k)
{
    uint64_t d = rate->denominator, fraction = rate->numerator % d;
    uint64_t rounds = k / d, rest = k % d;

    return (int64_t)(k * (rate->numerator / d) + rounds * fraction + (rest * fraction + d / 2) / d);
}

/* The quotient may be off by a little for its rounding. */
uint64_t achi_rate_first(const struct achi_rate *rate, int64_t time)
{
    double each = (double)rate->numerator / (double)rate->denominator;
    double guess = floor((double)time / each) - 2;
    uint64_t k = guess > 0 ? (uint64_t)guess : 0;

    while (achi_rate_time(rate, k) < time)
        k++;
    return k;
}
