/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sizes.c - put and get by the size of the message
 *
 * Each size has a channel made for it: four frames of that size. What memcpy
 * takes for as many bytes from one private buffer to another stands beside.
 */
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "scaling.h"

#define SMALLEST 8u
#define LARGEST (4u * 1024u * 1024u)
#define FRAMES 4u
#define BATCH_BYTES (1024u * 1024u)
#define BATCH_MAX 500u
#define BATCHES 9u

static const struct curve about = {
    .name = "sizes",
    .title = "Put and get LAST by size",
    .x_label = "bytes",
    .x_log = true,
    .y_label = "ns",
    .y_log = true,
};

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

static void transfer_measure(struct transfer *t, struct curve *c)
{
    unsigned n = (unsigned)(BATCH_BYTES / t->size);
    double x = (double)t->size;

    n = n > BATCH_MAX ? BATCH_MAX : n < 1 ? 1 : n;
    curve_sample(c, "put", x, batch_ns(put_batch, t, n, BATCHES));
    curve_sample(c, "get LAST", x, batch_ns(get_batch, t, n, BATCHES));
    curve_sample(c, "memcpy", x, batch_ns(copy_batch, t, n, BATCHES));
}

static void transfer_finish(struct transfer *t)
{
    ach_close(&t->chan);
    ach_unlink(t->name);
}

void sizes_part(struct scaling *s)
{
    unsigned char *from = private_alloc(LARGEST), *to = private_alloc(LARGEST);
    struct curve *c = scaling_curve(s, &about);
    struct transfer t[POINTS_MAX];
    unsigned i, round, count = 0;
    size_t size;

    for (size = SMALLEST; size <= LARGEST && channel_fits(s, FRAMES, size); size *= 2)
        transfer_init(&t[count++], size, from, to);
    for (round = 0; round < s->rounds; round++) {
        scaling_progress(s, "sizes", round);
        for (i = 0; i < count; i++)
            transfer_measure(&t[i], c);
    }
    for (i = 0; i < count; i++)
        transfer_finish(&t[i]);
    free(from);
    free(to);
}
