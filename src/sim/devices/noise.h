/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * noise.h - what a sensor adds to the truth
 *
 * The noise of a sample depends on the world's seed, the device's address and the
 * sample's number, and on nothing else: neither on what else is simulated nor on who
 * looked before.
 */
#ifndef ACHI_SIM_NOISE_H
#define ACHI_SIM_NOISE_H

#include <ach/message.h>
#include <stdint.h>

/* What a kind of value suffers. 0 in either: nothing. */
struct achi_grain {
    double noise;   /* the standard deviation */
    double quantum; /* values are multiples of that */
};

/* The seed of a device. */
uint64_t achi_noise_seed(uint64_t world, const ach_address_t *address);

/* The generator's state at the beginning of sample k. */
uint64_t achi_noise_begin(uint64_t seed, uint64_t k);

/* As the sensor says it. */
double achi_noise_apply(const struct achi_grain *grain, uint64_t *state, double value);

#endif
