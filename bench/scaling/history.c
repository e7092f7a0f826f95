/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * history.c - get by how many messages the channel keeps
 *
 * The channel is full of messages of 64 B. Get LAST takes the newest. Get FIRST
 * is by a reader that has fallen behind by more than the channel keeps: the
 * oldest message is what it gets. Some such readers, each with a handle of its
 * own, are timed as one. The walk goes on from there, one message after another.
 */
#include <stdlib.h>

#include "scaling.h"
#include "ticks.h"

#define READERS 8u
#define TRIES 5u
#define WALK_MAX 1000u

struct history {
    struct user writer, reader[READERS];
    unsigned frames;
};

static void *history_setup(const struct op *op)
{
    struct history *h = private_alloc(sizeof(*h));
    unsigned i;

    h->frames = (unsigned)op->x;
    channel_make("history", h->frames, MESSAGE_SIZE, false);
    channel_open(&h->writer.chan, "history", false, 0);
    user_put(&h->writer, h->frames);
    for (i = 0; i < READERS; i++) {
        channel_open(&h->reader[i].chan, "history", false, 0);
        touch_all(&h->reader[i].chan);
    }
    return h;
}

static void last_batch(void *state, unsigned n)
{
    user_get_last(&((struct history *)state)->writer, n);
}

/* The readers have fallen behind, and get the oldest message. */
static double first_ns(struct history *h)
{
    uint64_t start;
    unsigned i;

    user_put(&h->writer, h->frames + WALK_MAX);
    start = ticks();
    for (i = 0; i < READERS; i++)
        user_get_next(&h->reader[i], 1);
    return ticks_to_ns(start, ticks()) / READERS;
}

static void first_run(void *state, struct outcome *once)
{
    unsigned i;

    for (i = 0; i < TRIES; i++)
        samples_add(&once->ns, first_ns(state));
}

/* One reader has got its oldest message; what is left for it are frames - 1. */
static void walk_run(void *state, struct outcome *once)
{
    struct history *h = state;
    unsigned i, n = h->frames - 1 < WALK_MAX ? h->frames - 1 : WALK_MAX;

    for (i = 0; n > 0 && i < TRIES; i++) {
        uint64_t start;

        first_ns(h);
        start = ticks();
        user_get_next(&h->reader[0], n);
        samples_add(&once->ns, ticks_to_ns(start, ticks()) / n);
    }
}

bool history_fits(double frames)
{
    note("A reader that has fallen behind finds the oldest message at once; the longer the "
         "history, the further it has gone from the caches.");
    return channel_fits((size_t)frames, MESSAGE_SIZE);
}

const struct op history_ops[] = {
    {.setup = history_setup,
     .name = "get LAST",
     .batch = last_batch,
     .batch_max = 1000,
     .batches = 9},
    {.setup = history_setup, .name = "get FIRST, fallen behind", .run = first_run},
    {.setup = history_setup, .name = "get FIRST, one after another", .run = walk_run},
    {0},
};
