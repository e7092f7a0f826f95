/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.h - the offset between the clocks of two hosts
 *
 * As NTP does: a question at t1, received at t2, answered at t3, the answer received at t4. The
 * offset is ((t2 - t1) + (t3 - t4)) / 2, and its error is at most half of the round trip,
 * (t4 - t1) - (t3 - t2). Of the last samples the one with the smallest error is used; the error
 * grows with its age, because quartz clocks drift.
 */
#ifndef RELAY_CLOCK_H
#define RELAY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define RELAY_CLOCK_SAMPLES 8u

struct relay_clock {
    unsigned n; /* samples taken so far */
    struct {
        int64_t offset; /* remote time less local time */
        uint64_t round_trip, when;
    } samples[RELAY_CLOCK_SAMPLES];
};

/* A time in nanoseconds. Relays use CLOCK_BOOTTIME, which counts while a host is suspended. */
static inline uint64_t relay_clock_read(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t relay_clock_now(void)
{
    return relay_clock_read(CLOCK_BOOTTIME);
}

static inline uint64_t relay_clock_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The pause before the next attempt: twice the last one, from 0.1 to 5 seconds. */
static inline uint64_t relay_clock_pause(uint64_t last)
{
    return last ? relay_clock_earlier(2 * last, 5000000000u) : 100000000u;
}

/* Add a sample. Returns the round trip; 0: the times contradict each other, no sample. */
uint64_t relay_clock_sample(struct relay_clock *c, uint64_t t1, uint64_t t2, uint64_t t3,
                            uint64_t t4);

/* False: there is no sample yet. */
bool relay_clock_offset(const struct relay_clock *c, uint64_t now, int64_t *offset,
                        uint64_t *error);

#endif
