/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * noise.h - noise and quantisation of sensors
 *
 * The noise of a sample depends on the world's seed, the device's address and the
 * sample's number, and on nothing else: neither on other devices nor on earlier samples.
 */
#ifndef SIMD_SIM_NOISE_H
#define SIMD_SIM_NOISE_H

#include <ach/message.h>
#include <stdint.h>

/* Errors of one kind of value. 0 disables either. */
struct simd_grain {
    double noise;   /* standard deviation */
    double quantum; /* values are rounded to multiples of it */
};

/* The seed of a device. */
uint64_t simd_noise_seed(uint64_t world, const ach_address_t *address);

/* The generator's state at the beginning of sample k. */
uint64_t simd_noise_begin(uint64_t seed, uint64_t k);

/* The value with noise, then rounded to the quantum. */
double simd_noise_apply(const struct simd_grain *grain, uint64_t *state, double value);

#endif
