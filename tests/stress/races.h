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

/* What a program can wait in for a descriptor. */
enum poller { NO_POLLER, BY_POLL, BY_EPOLL, BY_EPOLL_EDGE, BY_SELECT };

struct race_shared {
    uint32_t stop;
    uint64_t rounds;
    uint64_t polls;       /* that said the descriptor is readable */
    uint64_t vain;        /* of these, with nothing to get */
    uint64_t interrupted; /* without a signal */
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
    enum poller poller; /* how the other side polls a descriptor */
};

/* The balls: channels 0.. go out, the last one comes back. */
#define BACK RACE_CHANNELS
#define LAST_ROUND (1ull << 63)

extern const struct variant race_variants[];
extern const unsigned race_variant_count;

void race_open(const struct race *r, ach_channel_t *chan, unsigned which, bool readonly);

/* Watch one race for so long, and until so many rounds are done. Returns how many were. */
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

/* Look for a while before waiting: so the next ball goes out before the other side sleeps. */
static inline uint64_t ball_receive_soon(ach_channel_t *chan, unsigned polls)
{
    uint64_t ball = 0;
    size_t size;

    while (polls--)
        if (ach_get(chan, &ball, sizeof(ball), &size, NULL, 0) == ACH_OK)
            return ball;
    return ball_receive(chan, 0);
}

static inline uint64_t ball_next(const struct race *r, uint64_t round)
{
    return __atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE) ? round | LAST_ROUND : round;
}

#endif
