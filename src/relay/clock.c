/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

/* The drift of a quartz: 100 millionths. */
#define DRIFT_PARTS 10000u

uint64_t relay_clock_sample(struct relay_clock *c, uint64_t t1, uint64_t t2, uint64_t t3,
                            uint64_t t4)
{
    unsigned i = c->n % RELAY_CLOCK_SAMPLES;

    if (t1 > t4 || t2 > t3 || t3 - t2 > t4 - t1)
        return 0;
    c->samples[i].offset = (int64_t)(t2 - t1) / 2 + (int64_t)(t3 - t4) / 2;
    c->samples[i].round_trip = (t4 - t1) - (t3 - t2);
    c->samples[i].when = t4;
    c->n++;
    return c->samples[i].round_trip;
}

static uint64_t sample_error(const struct relay_clock *c, unsigned i, uint64_t now)
{
    return c->samples[i].round_trip / 2 + (now - c->samples[i].when) / DRIFT_PARTS;
}

bool relay_clock_offset(const struct relay_clock *c, uint64_t now, int64_t *offset, uint64_t *error)
{
    unsigned i, n = c->n < RELAY_CLOCK_SAMPLES ? c->n : RELAY_CLOCK_SAMPLES;

    *error = UINT64_MAX;
    for (i = 0; i < n; i++)
        if (sample_error(c, i, now) < *error) {
            *offset = c->samples[i].offset;
            *error = sample_error(c, i, now);
        }
    return n > 0;
}
