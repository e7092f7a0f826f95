/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h - one channel under stress: its shape, and what its actors share */
#ifndef RUN_H
#define RUN_H

#include "actors.h"
#include "pattern.h"

#define RUN_NAME "stress"

/* The longest wait of an actor; after it, the actor checks whether the run is over. */
#define RUN_WAIT_NS 20000000

/* Which sizes writers choose. */
enum mix { MIX_SMALL, MIX_NOMINAL, MIX_FULL, MIX_EVEN, MIX_ALL, MIXES };

struct shape {
    size_t frame_cnt;
    size_t frame_size;
};

/* Shared by the actors. */
struct run_shared {
    uint32_t stop; /* tells the writers to end */
    uint32_t over; /* all writers have ended */
    uint64_t put[PATTERN_WRITERS];
    uint64_t checked;
    uint64_t missed;
    uint64_t spoiled;
};

struct run {
    struct shape shape;
    enum mix mix;
    bool heap, readonly_wake, single, timestamps;
    unsigned writers;
    struct ach_header *shm; /* of a heap channel */
    struct run_shared *shared;
    uint64_t seed;
};

static inline size_t run_capacity(const struct run *r)
{
    return r->shape.frame_cnt * r->shape.frame_size;
}

static inline void run_open(const struct run *r, ach_channel_t *chan, bool readonly, bool source)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    if (r->heap)
        ach_attr_set_shm(&attr, r->shm);
    ach_attr_set_readonly(&attr, readonly);
    ach_attr_set_lock_source(&attr, source);
    ach_attr_set_lock_timeout(&attr, 60ull * 1000000000u);
    REQUIRE_OK(ach_open(chan, RUN_NAME, &attr));
}

/* Writers and readers, as separate files; each is an actor whose arg is the run. */
int run_writer(struct actor *self);
int run_reader(struct actor *self);

/* How many kinds of readers there are; an actor's index chooses. */
extern const unsigned run_reader_kinds;

#endif
