/* SPDX-License-Identifier: BSD-3-Clause */
#include "rate.h"

#include <math.h>

#define FAST 4000.0 /* Hz; below it, the square of the denominator fits 64 bits */

bool simd_rate_set(struct simd_rate *rate, double hertz)
{
    double unit = hertz < FAST ? 1e6 : 1e3;

    if (!(hertz >= SIMD_RATE_MIN && hertz <= SIMD_RATE_MAX))
        return false;
    rate->numerator = (uint64_t)(1e9 * unit);
    rate->denominator = (uint64_t)llround(hertz * unit);
    return true;
}

/* k = rounds * d + rest: d periods are a whole number of ns, so only the rest is rounded. */
int64_t simd_rate_time(const struct simd_rate *rate, uint64_t k)
{
    uint64_t d = rate->denominator, fraction = rate->numerator % d;
    uint64_t rounds = k / d, rest = k % d;

    return (int64_t)(k * (rate->numerator / d) + rounds * fraction + (rest * fraction + d / 2) / d);
}

/* Start below the quotient, which may be rounded up, and search upwards. */
uint64_t simd_rate_first(const struct simd_rate *rate, int64_t time)
{
    double each = (double)rate->numerator / (double)rate->denominator;
    double guess = floor((double)time / each) - 2;
    uint64_t k = guess > 0 ? (uint64_t)guess : 0;

    while (simd_rate_time(rate, k) < time)
        k++;
    return k;
}
