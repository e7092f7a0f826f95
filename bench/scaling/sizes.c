/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sizes.c - put and get by the size of the message
 *
 * Each size has a channel made for it: four frames of that size. What memcpy
 * takes for as many bytes from one private buffer to another stands beside.
 */
#include <stdlib.h>
#include <string.h>

#include "scaling.h"

#define FRAMES 4u

struct transfer {
    ach_channel_t chan;
    size_t size;
    unsigned char *from, *to;
};

static void put_batch(void *state, unsigned n)
{
    struct transfer *t = state;

    while (n--)
        if (ach_put(&t->chan, t->from, t->size) != ACH_OK)
            abort();
}

static void get_batch(void *state, unsigned n)
{
    struct transfer *t = state;
    size_t size;

    while (n--) {
        enum ach_status r = ach_get(&t->chan, t->to, t->size, &size, NULL, ACH_O_LAST | ACH_O_COPY);

        if (r != ACH_OK && r != ACH_MISSED_FRAME)
            abort();
    }
}

static void copy_batch(void *state, unsigned n)
{
    struct transfer *t = state;

    while (n--) {
        memcpy(t->to, t->from, t->size);
        memory_changes();
    }
}

static void *transfer_setup(const struct op *op)
{
    struct transfer *t = private_alloc(sizeof(*t));

    t->size = (size_t)op->x;
    t->from = private_alloc(t->size);
    t->to = private_alloc(t->size);
    channel_make("sizes", FRAMES, t->size, false);
    channel_open(&t->chan, "sizes", false, 0);
    put_batch(t, 4 * FRAMES); /* once around the ring */
    return t;
}

bool sizes_fit(double size)
{
    return channel_fits(FRAMES, (size_t)size);
}

#define TRANSFER                                                                                   \
    .setup = transfer_setup, .batch_max = 500, .batch_bytes = (size_t)1024 * 1024, .batches = 9

const struct op sizes_ops[] = {
    {TRANSFER, .name = "put", .batch = put_batch},
    {TRANSFER, .name = "get LAST", .batch = get_batch},
    {TRANSFER, .name = "memcpy", .batch = copy_batch},
    {0},
};
