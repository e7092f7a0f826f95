/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inplace.c - messages that are not copied cost the same at any size
 *
 * A single-writer channel for messages of 4 MiB. Nobody touches the payload.
 * A message of 64 B lies in its entry; one of 1 KiB lies in the ring, as the
 * one of 4 MiB does.
 */
#include <stdlib.h>

#include "channels.h"

#define BIG (4u * 1024u * 1024u)
#define FRAMES 4u

struct in_place {
    ach_channel_t chan;
    size_t size;
};

static void write_batch(void *state, unsigned n)
{
    struct in_place *s = state;
    void *place;

    while (n--)
        if (ach_reserve(&s->chan, s->size, &place) != ACH_OK ||
            ach_commit(&s->chan, s->size) != ACH_OK)
            abort();
}

static void view_batch(void *state, unsigned n)
{
    struct in_place *s = state;
    const void *place;
    size_t size;

    while (n--)
        if (ach_view(&s->chan, &place, &size, NULL, ACH_O_LAST | ACH_O_COPY) != ACH_OK ||
            ach_view_check(&s->chan) != ACH_OK)
            abort();
}

static void *setup(const struct op *op)
{
    struct in_place *s = private_alloc(sizeof(*s));

    s->size = op->size;
    channel_make("inplace", FRAMES, BIG, true);
    channel_open(&s->chan, "inplace", true, 0);
    write_batch(s, 2 * FRAMES);
    ach_flush(&s->chan);
    return s;
}

#define IN_PLACE .setup = setup, .batch_max = 1000

const struct op in_place_ops[] = {
    {IN_PLACE, .name = "reserve + commit 64 B", .batch = write_batch, .size = MESSAGE_SIZE},
    {IN_PLACE, .name = "reserve + commit 1 KiB", .batch = write_batch, .size = 1024},
    {IN_PLACE, .name = "reserve + commit 4 MiB", .batch = write_batch, .size = BIG},
    {IN_PLACE, .name = "view + check 64 B", .batch = view_batch, .size = MESSAGE_SIZE},
    {IN_PLACE, .name = "view + check 1 KiB", .batch = view_batch, .size = 1024},
    {IN_PLACE, .name = "view + check 4 MiB", .batch = view_batch, .size = BIG},
    {0},
};
