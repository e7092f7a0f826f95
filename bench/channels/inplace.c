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

static void finish(void *state)
{
    struct in_place *s = state;

    ach_close(&s->chan);
    ach_unlink("inplace");
    free(s);
}

#define OP(name_, batch_, size_)                                                                   \
    {                                                                                              \
        .name = (name_), .setup = setup, .batch = (batch_), .finish = finish, .batch_max = 1000,   \
        .size = (size_)                                                                            \
    }

const struct op in_place_ops[] = {
    OP("reserve + commit 64 B", write_batch, MESSAGE_SIZE),
    OP("reserve + commit 1 KiB", write_batch, 1024),
    OP("reserve + commit 4 MiB", write_batch, BIG),
    OP("view + check 64 B", view_batch, MESSAGE_SIZE),
    OP("view + check 1 KiB", view_batch, 1024),
    OP("view + check 4 MiB", view_batch, BIG),
    {0},
};
