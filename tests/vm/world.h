/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world.h - memory shared by all processes of the stress test
 *
 * Roles run until they are killed or the world ends. They share only these
 * counts. A role that finds an error reports and counts it, and continues.
 */
#ifndef WORLD_H
#define WORLD_H

#include "check.h"
#include "module.h"
#include "pattern.h"

#include <stdatomic.h>

#define CHANNELS 4
#define MESSAGE_MAX 20000

enum count {
    PUTS,
    GETS,
    POLLS,
    WAITS,
    MAPS,
    CANCELS,
    INTERRUPTS,
    CREATES,
    UNLINKS,
    STALES,
    REFUSED, /* unloads while there was an open channel */
    KILLS,
    STOPS,
    UNLOADS,
    COUNTS
};

struct world {
    _Atomic uint64_t counts[COUNTS];
    _Atomic uint64_t wrong;
    _Atomic bool over;
    /* Next message number of each writer: the successor of a killed writer continues from it. */
    _Atomic uint64_t writers[PATTERN_WRITERS];
};

struct shape {
    const char *name;
    uint64_t frame_cnt, frame_size;
    uint32_t flags;
};

extern struct world *world;
extern const struct shape shapes[CHANNELS];

struct role {
    const char *name;
    void (*run)(unsigned slot, uint64_t *random);
};

extern const struct role roles[];
extern const unsigned role_count;

static inline void count(enum count what)
{
    atomic_fetch_add_explicit(&world->counts[what], 1, memory_order_relaxed);
}

static inline uint64_t counted(enum count what)
{
    return atomic_load_explicit(&world->counts[what], memory_order_relaxed);
}

/* Report and count an error. */
__attribute__((format(printf, 1, 2))) void wrong(const char *fmt, ...);

/* Open a random channel; -1: it does not exist at the moment. */
int some_channel(uint64_t *random, int flags, const struct shape **shape);

#endif
