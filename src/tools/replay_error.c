/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay_error.h"

#include <math.h>

/* Numbers below REPLAY_ERROR_PARTS have a bucket each. */
static unsigned error_bucket(uint64_t ns)
{
    unsigned shift;

    if (ns < REPLAY_ERROR_PARTS)
        return (unsigned)ns;
    shift = 63u - (unsigned)__builtin_clzll(ns) - 5u;
    return (shift + 1) * REPLAY_ERROR_PARTS + (unsigned)((ns >> shift) - REPLAY_ERROR_PARTS);
}

/* The largest number of a bucket. */
static int64_t error_of_bucket(unsigned bucket)
{
    unsigned shift = bucket / REPLAY_ERROR_PARTS;

    if (!shift)
        return bucket;
    return (
        int64_t)(((uint64_t)(REPLAY_ERROR_PARTS + bucket % REPLAY_ERROR_PARTS + 1) << (shift - 1)) -
                 1);
}

_Static_assert(REPLAY_ERROR_PARTS == 1u << 5, "a bucket is found by shifting");

void replay_error_add(struct replay_error *e, int64_t ns)
{
    uint64_t size = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;

    e->counts[error_bucket(size)]++;
    e->n++;
    if ((int64_t)size > e->max)
        e->max = (int64_t)size;
}

int64_t replay_error_at(const struct replay_error *e, double part)
{
    uint64_t rank = (uint64_t)ceil(part * (double)e->n), sum = 0;
    unsigned i;

    for (i = 0; i < sizeof(e->counts) / sizeof(e->counts[0]); i++) {
        sum += e->counts[i];
        if (sum && sum >= rank) {
            int64_t ns = error_of_bucket(i);

            return ns < e->max ? ns : e->max;
        }
    }
    return e->max;
}
