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
#define BATCHES 9u
#define SIZES_MAX 24u

struct transfer {
    ach_channel_t chan;
    char name[32];
    size_t size;
    unsigned char *from, *to; /* of all, LARGEST bytes each */
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
        __asm__ volatile("" : : "r"(t->to) : "memory");
    }
}

static void transfer_init(struct transfer *t, size_t size, unsigned char *from, unsigned char *to)
{
    *t = (struct transfer){.size = size, .from = from, .to = to};
    snprintf(t->name, sizeof(t->name), "size-%zu", size);
    channel_make(t->name, FRAMES, size, false);
    channel_open(&t->chan, t->name, false, 0);
    put_batch(t, 4 * FRAMES); /* once around the ring */
}

static void transfer_measure(const struct group *g, struct transfer *t, unsigned round)
{
    unsigned n = (unsigned)(BATCH_BYTES / t->size);
    double x = (double)t->size;

    n = n > BATCH_MAX ? BATCH_MAX : n < 1 ? 1 : n;
    row_value(g, "put", x, round, batch_ns(put_batch, t, n, BATCHES));
    row_value(g, "get LAST", x, round, batch_ns(get_batch, t, n, BATCHES));
    row_value(g, "memcpy", x, round, batch_ns(copy_batch, t, n, BATCHES));
}

void sizes_measure(const struct group *g)
{
    unsigned char *from = private_alloc(LARGEST), *to = private_alloc(LARGEST);
    struct transfer t[SIZES_MAX];
    unsigned i, round, count = 0;
    size_t size;

    for (size = SMALLEST; size <= LARGEST && channel_fits(FRAMES, size); size *= 2)
        transfer_init(&t[count++], size, from, to);
    for (round = 0; round < rounds_of(g); round++) {
        progress("sizes: round %u", round + 1);
        for (i = 0; i < count; i++)
            transfer_measure(g, &t[i], round);
    }
    for (i = 0; i < count; i++) {
        ach_close(&t[i].chan);
        ach_unlink(t[i].name);
    }
    free(from);
    free(to);
}
