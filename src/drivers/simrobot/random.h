/* SPDX-License-Identifier: BSD-3-Clause */
/* random.h - reproducible noise: the same for the same seed */
#ifndef DRV_SIM_RANDOM_H
#define DRV_SIM_RANDOM_H

#include <math.h>
#include <stdint.h>

/* 0 < value < 1 */
static inline double drv_sim_uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

/* Normal, with mean 0 and deviation 1. */
static inline double drv_sim_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(drv_sim_uniform(state)));

    return radius * cos(2 * M_PI * drv_sim_uniform(state));
}

#endif
