/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bulk.c - messages of 1 MiB, copied in and out
 *
 * Against the same two copies without a channel, through as many places as the
 * channel's ring has, so that both use the caches alike. Between two processes
 * the writer is at most WINDOW messages ahead, and both spin.
 */
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "ticks.h"

#define SIZE ((size_t)1024 * 1024)
#define FRAMES 8u
#define PLACES ((size_t)2 * FRAMES)
#define WINDOW 4u
#define BATCH 8u
#define MESSAGES 64u
#define SPIN_NS 1000000000u
#define PAGES __attribute__((aligned(4096))) /* begins on a page, as the channel's memory does */

/* All of it is shared: what the processes tell each other, and the messages without a channel. */
struct flow {
    uint64_t sent APART;
    uint64_t taken APART;
    unsigned char places[PLACES][SIZE] PAGES;
};

struct bulk {
    bool channel;
    ach_channel_t out, in;
    struct flow *flow;
    uint64_t count; /* messages that the peer is to take */
    unsigned char source[SIZE] PAGES, sink[SIZE] PAGES;
};

/* op->variant: whether through a channel. */
static void *setup(const struct op *op)
{
    struct bulk *b = private_alloc(sizeof(*b));

    b->channel = op->variant;
    b->flow = shared_alloc(sizeof(*b->flow));
    if (b->channel) {
        channel_make("bulk", FRAMES, SIZE, false);
        channel_open(&b->out, "bulk", false, 0);
        channel_open(&b->in, "bulk", false, SPIN_NS);
    }
    return b;
}

static void copy_in(struct bulk *b, uint64_t i)
{
    if (b->channel)
        MUST_ACH(ach_put(&b->out, b->source, SIZE));
    else
        memcpy(b->flow->places[i % PLACES], b->source, SIZE);
    memory_changes();
}

static void copy_out(struct bulk *b, uint64_t i)
{
    size_t size;

    if (b->channel)
        MUST_ACH(ach_get(&b->in, b->sink, SIZE, &size, NULL, ACH_O_WAIT));
    else
        memcpy(b->sink, b->flow->places[i % PLACES], SIZE);
    memory_changes();
}

static void one_process(void *state, struct outcome *once)
{
    unsigned i, n = scaled(MESSAGES, 4);

    for (i = 0; i < n + PLACES; i++) {
        uint64_t start = ticks();

        copy_in(state, i);
        copy_out(state, i);
        if (i >= PLACES)
            samples_add(&once->ns, ticks_to_ns(start, ticks()));
    }
}

static void take_all(void *arg)
{
    struct bulk *b = arg;
    uint64_t i;

    memset(b->sink, 0, SIZE);
    if (b->channel)
        ach_flush(&b->in);
    peer_ready();
    for (i = 0; i < b->count; i++) {
        if (!b->channel)
            spin_until(&b->flow->sent, i + 1);
        copy_out(b, i);
        __atomic_store_n(&b->flow->taken, i + 1, __ATOMIC_RELEASE);
    }
}

/* One sample is a batch of messages: from the first put until the last is taken. */
static void two_processes(void *state, struct outcome *once)
{
    struct bulk *b = state;
    uint64_t i, start = 0;
    pid_t peer;

    b->flow->sent = b->flow->taken = 0;
    b->count = 2 * BATCH + scaled(MESSAGES, 4) / BATCH * BATCH;
    peer = peer_start(take_all, b);
    for (i = 0; i < b->count; i++) {
        if (i % BATCH == 0)
            start = ticks();
        if (i >= WINDOW)
            spin_until(&b->flow->taken, i + 1 - WINDOW);
        copy_in(b, i);
        __atomic_store_n(&b->flow->sent, i + 1, __ATOMIC_RELEASE);
        if (i % BATCH == BATCH - 1) {
            spin_until(&b->flow->taken, i + 1);
            if (i / BATCH >= 2)
                samples_add(&once->ns, ticks_to_ns(start, ticks()) / BATCH);
        }
    }
    peer_join(peer);
}

const struct op bulk_ops[] = {
    {.setup = setup, .name = "put + get 1 MiB", .run = one_process, .variant = true},
    {.setup = setup, .name = "memcpy 1 MiB in and out", .run = one_process},
    {.setup = setup, .name = "put | get, two processes", .run = two_processes, .variant = true},
    {.setup = setup, .name = "memcpy | memcpy, two processes", .run = two_processes},
    {0},
};
