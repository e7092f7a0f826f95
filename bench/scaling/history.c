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

#define LONGEST 65536u
#define READERS 8u
#define TRIES 5u
#define WALK_MAX 1000u
#define BATCH 1000u
#define BATCHES 9u
#define LENGTHS_MAX 16u

struct history {
    ach_channel_t writer, reader[READERS];
    char name[32];
    unsigned frames;
    unsigned char message[MESSAGE_SIZE];
};

static void history_init(struct history *h, unsigned frames)
{
    unsigned i;

    *h = (struct history){.frames = frames};
    snprintf(h->name, sizeof(h->name), "history-%u", frames);
    channel_make(h->name, frames, MESSAGE_SIZE, false);
    channel_open(&h->writer, h->name, false, 0);
    for (i = 0; i < READERS; i++) {
        channel_open(&h->reader[i], h->name, false, 0);
        touch_all(&h->reader[i]);
    }
}

static void history_finish(struct history *h)
{
    unsigned i;

    for (i = 0; i < READERS; i++)
        ach_close(&h->reader[i]);
    ach_close(&h->writer);
    ach_unlink(h->name);
}

/* Put so much that every reader has fallen behind. */
static void leave_behind(struct history *h)
{
    unsigned i;

    for (i = 0; i < h->frames + WALK_MAX; i++)
        if (ach_put(&h->writer, h->message, sizeof(h->message)) != ACH_OK)
            abort();
}

static void get(struct history *h, ach_channel_t *chan, int options)
{
    size_t size;
    enum ach_status r = ach_get(chan, h->message, sizeof(h->message), &size, NULL, options);

    if (r != ACH_OK && r != ACH_MISSED_FRAME)
        abort();
}

static void last_batch(void *state, unsigned n)
{
    struct history *h = state;

    while (n--)
        get(h, &h->writer, ACH_O_LAST | ACH_O_COPY);
}

static double first_ns(struct history *h)
{
    uint64_t start = ticks();
    unsigned i;

    for (i = 0; i < READERS; i++)
        get(h, &h->reader[i], 0);
    return ticks_to_ns(start, ticks()) / READERS;
}

/* One reader has got its oldest message; what is left for it are frames - 1. */
static double walk_ns(struct history *h)
{
    unsigned i, n = h->frames - 1 < WALK_MAX ? h->frames - 1 : WALK_MAX;
    uint64_t start = ticks();

    for (i = 0; i < n; i++)
        get(h, &h->reader[0], 0);
    return ticks_to_ns(start, ticks()) / n;
}

static void measure(const struct group *g, struct history *h, unsigned round)
{
    struct samples first = {0}, walk = {0};
    unsigned i;

    for (i = 0; i < TRIES; i++) {
        leave_behind(h);
        samples_add(&first, first_ns(h));
        if (h->frames > 1)
            samples_add(&walk, walk_ns(h));
    }
    row_value(g, "get LAST", h->frames, round, batch_ns(last_batch, h, BATCH, BATCHES));
    row_value(g, "get FIRST, fallen behind", h->frames, round, samples_median(&first));
    if (h->frames > 1)
        row_value(g, "get FIRST, one after another", h->frames, round, samples_median(&walk));
}

void history_measure(const struct group *g)
{
    struct history h[LENGTHS_MAX];
    unsigned round, i, frames, count = 0;

    for (frames = 1; frames <= LONGEST && channel_fits(frames, MESSAGE_SIZE); frames *= 4)
        history_init(&h[count++], frames);
    for (round = 0; round < rounds_of(g); round++) {
        progress("history: round %u", round + 1);
        for (i = 0; i < count; i++)
            measure(g, &h[i], round);
    }
    note("A reader that has fallen behind finds the oldest message at once; the longer the "
         "history, the further it has gone from the caches.");
    for (i = 0; i < count; i++)
        history_finish(&h[i]);
}
