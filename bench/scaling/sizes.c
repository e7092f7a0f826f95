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

#define SMALLEST 8u
#define LARGEST (4u * 1024u * 1024u)
#define FRAMES 4u
#define BATCH_BYTES (1024u * 1024u)
#define BATCH_MAX 500u
#define SIZES_MAX 24u

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

    t->size = op->size;
    t->from = private_alloc(op->size);
    t->to = private_alloc(op->size);
    channel_make("sizes", FRAMES, op->size, false);
    channel_open(&t->chan, "sizes", false, 0);
    put_batch(t, 4 * FRAMES); /* once around the ring */
    return t;
}

static void transfer_finish(void *state)
{
    struct transfer *t = state;

    channel_remove(&t->chan, "sizes");
    free(t->from);
    free(t->to);
    free(t);
}

void sizes_measure(const struct group *g, unsigned round)
{
    static const struct op ways[] = {{.name = "put", .batch = put_batch},
                                     {.name = "get LAST", .batch = get_batch},
                                     {.name = "memcpy", .batch = copy_batch}};
    struct op ops[SIZES_MAX * ARRAY_SIZE(ways) + 1] = {0}, *op = ops;
    unsigned size, i;

    for (size = SMALLEST; size <= LARGEST && channel_fits(FRAMES, size); size *= 2) {
        unsigned n = size > BATCH_BYTES ? 1 : BATCH_BYTES / size;

        for (i = 0; i < ARRAY_SIZE(ways); i++)
            *op++ = (struct op){.name = ways[i].name,
                                .x = size,
                                .setup = transfer_setup,
                                .batch = ways[i].batch,
                                .finish = transfer_finish,
                                .batch_max = n > BATCH_MAX ? BATCH_MAX : n,
                                .batches = 9,
                                .size = size};
    }
    ops_run(g, ops, round);
}
