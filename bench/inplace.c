/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inplace.c - messages that are not copied cost the same at any size
 *
 * A single-writer channel for messages of 4 MiB. Nobody touches the payload.
 * A message of 64 B lies in its entry; one of 1 KiB lies in the ring, as the
 * one of 4 MiB does.
 */
#include <stdio.h>
#include <stdlib.h>

#include "operations.h"
#include "peer.h"

#define BIG (4u * 1024u * 1024u)
#define FRAMES 4u

struct state {
    ach_channel_t chan;
    char name[32];
    size_t size;
};

static void write_batch(void *state, unsigned n)
{
    struct state *s = state;
    void *place;

    while (n--)
        if (ach_reserve(&s->chan, s->size, &place) != ACH_OK ||
            ach_commit(&s->chan, s->size) != ACH_OK)
            abort();
}

static void view_batch(void *state, unsigned n)
{
    struct state *s = state;
    const void *place;
    size_t size;

    while (n--)
        if (ach_view(&s->chan, &place, &size, NULL, ACH_O_LAST | ACH_O_COPY) != ACH_OK ||
            ach_view_check(&s->chan) != ACH_OK)
            abort();
}

static void *setup(const char *name, size_t size)
{
    struct state *s = calloc(1, sizeof(*s));

    MUST(s != NULL);
    snprintf(s->name, sizeof(s->name), "%s-%zu", name, size);
    s->size = size;
    channel_make(s->name, FRAMES, BIG, true);
    channel_open(&s->chan, s->name, true, 0);
    write_batch(s, 2 * FRAMES);
    ach_flush(&s->chan);
    return s;
}

static void finish(void *state)
{
    struct state *s = state;

    ach_close(&s->chan);
    ach_unlink(s->name);
    free(s);
}

static void *write_small_setup(void)
{
    return setup("write", MESSAGE_SIZE);
}

static void *write_ring_setup(void)
{
    return setup("write", 1024);
}

static void *write_big_setup(void)
{
    return setup("write", BIG);
}

static void *view_small_setup(void)
{
    return setup("view", MESSAGE_SIZE);
}

static void *view_ring_setup(void)
{
    return setup("view", 1024);
}

static void *view_big_setup(void)
{
    return setup("view", BIG);
}

static void write_run(void *state, struct trial *trial)
{
    static const struct op op = {.batch_max = 1000, .batch = write_batch};

    op_measure(&op, state, trial);
}

static void view_run(void *state, struct trial *trial)
{
    static const struct op op = {.batch_max = 1000, .batch = view_batch};

    op_measure(&op, state, trial);
}

enum { WRITE_SMALL, WRITE_RING, WRITE_BIG, VIEW_SMALL, VIEW_RING, VIEW_BIG };

static const struct contender contenders[] = {
    [WRITE_SMALL] = {"reserve + commit 64 B", write_small_setup, write_run, finish},
    [WRITE_RING] = {"reserve + commit 1 KiB", write_ring_setup, write_run, finish},
    [WRITE_BIG] = {"reserve + commit 4 MiB", write_big_setup, write_run, finish},
    [VIEW_SMALL] = {"view + check 64 B", view_small_setup, view_run, finish},
    [VIEW_RING] = {"view + check 1 KiB", view_ring_setup, view_run, finish},
    [VIEW_BIG] = {"view + check 4 MiB", view_big_setup, view_run, finish},
};

static const struct claim claims[] = {
    {WRITE_BIG, WRITE_SMALL, CLAIM_WITHIN, 1.2},  {WRITE_BIG, WRITE_RING, CLAIM_NOTHING, 0},
    {WRITE_SMALL, WRITE_SMALL, CLAIM_NOTHING, 0}, {VIEW_BIG, VIEW_SMALL, CLAIM_WITHIN, 1.2},
    {VIEW_BIG, VIEW_RING, CLAIM_NOTHING, 0},      {VIEW_SMALL, VIEW_SMALL, CLAIM_NOTHING, 0},
};

const struct group inplace_group = {
    .name = "inplace",
    .about = "messages written and read in place, payload untouched",
    .contenders = contenders,
    .contender_count = ARRAY_SIZE(contenders),
    .claims = claims,
    .claim_count = ARRAY_SIZE(claims),
};
