/* SPDX-License-Identifier: BSD-3-Clause */
#include "noise.h"

#include <math.h>

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t simd_noise_seed(uint64_t world, const ach_address_t *address)
{
    return mix(mix(world + STEP) + ((uint64_t)address->interf << 16 | address->index));
}

uint64_t simd_noise_begin(uint64_t seed, uint64_t k)
{
    return mix(seed ^ mix(k + STEP));
}

/* 0 < value < 1 */
static double uniform(uint64_t *state)
{
    *state += STEP;
    return ((double)(mix(*state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));

    return radius * cos(2 * M_PI * uniform(state));
}

double simd_noise_apply(const struct simd_grain *grain, uint64_t *state, double value)
{
    if (grain->noise > 0)
        value += grain->noise * normal(state);
    if (grain->quantum > 0)
        value = nearbyint(value / grain->quantum) * grain->quantum;
    return value;
}
