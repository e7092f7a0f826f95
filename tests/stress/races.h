/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * races.h - two sides that wait for each other
 *
 * Every variant is a ball that goes to and fro: the side that has it puts a
 * message, or cancels a wait, after a tiny random delay, and waits until the
 * ball comes back. So one side is always awake, unless a wake-up was lost.
 */
#ifndef RACES_H
#define RACES_H

#include "actors.h"

#define RACE_CHANNELS 4u
#define RACE_WAITERS 6u

/* The system calls that wait for a descriptor. */
enum poller { NO_POLLER, BY_POLL, BY_EPOLL, BY_EPOLL_EDGE, BY_SELECT };

struct race_shared {
    uint32_t stop;
    uint64_t round; /* that has begun */
    uint64_t rounds;
    uint64_t polls;       /* returns of the poll call */
    uint64_t vain;        /* polls after which there was nothing to get */
    uint64_t interrupted; /* polls that failed with EINTR, without a signal */
};

struct race {
    const struct variant *variant;
    struct race_shared *shared;
    uint64_t seed;
    bool heap;
    struct ach_header *shm[RACE_CHANNELS + 1]; /* of heap channels */
    ach_channel_t canceled;                    /* the handle whose wait is canceled */
    pthread_t waiter;                          /* the thread that waits on it */
};

struct variant {
    const char *name;
    actor_fun *server; /* starts each round, and marks the last one */
    actor_fun *other;
    unsigned others;
    unsigned victims; /* processes that wait too, and are killed at random */
    bool one_process; /* the sides must be threads of one process */
    bool handler;     /* a signal handler cancels */
    bool readonly;    /* the other side subscribes read-only */
    bool lowered;     /* the flag of each channel is lowered at random, once in a round */
    unsigned polls;   /* number of gets of the server before it sleeps */
    uint64_t spin_ns;
    enum poller poller; /* how the other side polls a descriptor */
};

/* Balls go out on the channels 0 to RACE_CHANNELS - 1, and come back on BACK. */
#define BACK RACE_CHANNELS
#define LAST_ROUND (1ull << 63)

extern const struct variant race_variants[];
extern const unsigned race_variant_count;

void race_open(const struct race *r, ach_channel_t *chan, unsigned which, bool readonly);

/* Run one race for at least this time and this number of rounds. Returns the rounds done. */
uint64_t race_run(struct race *r, bool threads, long ms, uint64_t rounds);

static inline void ball_send(ach_channel_t *chan, uint64_t ball)
{
    REQUIRE_OK(ach_put(chan, &ball, sizeof(ball)));
}

static inline uint64_t ball_receive(ach_channel_t *chan, int options)
{
    uint64_t ball = 0;
    size_t size = 0;

    REQUIRE_OK(ach_get(chan, &ball, sizeof(ball), &size, NULL, ACH_O_WAIT | options));
    CHECK(size == sizeof(ball));
    return ball;
}

/* Get without waiting first, so that the next ball goes out before the other side sleeps. */
static inline uint64_t ball_receive_soon(ach_channel_t *chan, unsigned polls)
{
    uint64_t ball = 0;
    size_t size;

    while (polls--)
        if (ach_get(chan, &ball, sizeof(ball), &size, NULL, 0) == ACH_OK)
            return ball;
    return ball_receive(chan, 0);
}

static inline void round_begin(const struct race *r, uint64_t round)
{
    __atomic_store_n(&r->shared->round, round, __ATOMIC_RELAXED);
}

static inline uint64_t ball_next(const struct race *r, uint64_t round)
{
    return __atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE) ? round | LAST_ROUND : round;
}

#endif
