/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * races.h - two sides that wait for each other
 *
 * Every variant is a ball that goes to and fro: whoever has it puts a message,
 * or cancels a wait, after a random tiny delay, and waits until it comes back.
 * So at any time somebody is awake, unless a wake-up was lost.
 */
#ifndef RACES_H
#define RACES_H

#include "actors.h"

#define RACE_CHANNELS 4u
#define RACE_WAITERS 6u

struct race_shared {
    uint32_t stop;
    uint64_t rounds;
};

struct race {
    const struct variant *variant;
    struct race_shared *shared;
    uint64_t seed;
    bool heap;
    struct ach_header *shm[RACE_CHANNELS + 1]; /* of heap channels */
    ach_channel_t canceled;                    /* the handle whose wait is canceled */
    pthread_t waiter;                          /* who waits on it */
};

struct variant {
    const char *name;
    actor_fun *server; /* starts each round, and says when it is the last */
    actor_fun *other;
    unsigned others;
    unsigned victims; /* processes that wait too, and are killed at random */
    bool one_process; /* the sides must be threads of one process */
    bool handler;     /* a signal handler cancels */
    bool readonly;    /* the other side subscribes read-only */
    unsigned polls;   /* the server looks so often before it sleeps */
    uint64_t spin_ns;
    const char *fd; /* the other side polls a descriptor, by this mechanism */
    unsigned ahead; /* up to so many messages come before each ball, at random distances */
};

/* The balls: channels 0.. go out, the last one comes back. */
#define BACK RACE_CHANNELS

extern const struct variant race_variants[];
extern const unsigned race_variant_count;

void race_open(const struct race *r, ach_channel_t *chan, unsigned which, bool readonly);

#endif
