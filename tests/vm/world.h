/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world.h - what all processes of the stress share
 *
 * Roles run until they are killed or the world ends. They know nothing of each
 * other but these counts. A role that finds something wrong says it and counts
 * it, and goes on.
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
    /* The next counter of each writer's messages: a writer that takes a dead one's place goes on. */
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

/* Something that must not be. */
__attribute__((format(printf, 1, 2))) void wrong(const char *fmt, ...);

/* Open one of the channels; -1 if it is not there now. */
int some_channel(uint64_t *random, int flags, const struct shape **shape);

#endif
