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

#define SIZE (1024u * 1024u)
#define FRAMES 8u
#define PLACES (2 * FRAMES)
#define WINDOW 4u
#define BATCH 8u
#define MESSAGES 64u
#define SPIN_NS 1000000000u

/* What the two processes tell each other, beside the messages. */
struct flow {
    uint64_t sent APART;
    uint64_t taken APART;
};

struct bulk {
    bool channel; /* otherwise plain memory: places */
    ach_channel_t out, in;
    unsigned char *places; /* shared */
    unsigned char *source, *sink;
    struct flow *flow; /* shared */
    uint64_t count;    /* messages that the peer is to take */
};

/* op->variant: whether through a channel. */
static void *setup(const struct op *op)
{
    struct bulk *b = calloc(1, sizeof(*b));

    MUST(b != NULL);
    b->channel = op->variant;
    b->source = private_alloc(SIZE);
    b->sink = private_alloc(SIZE);
    b->flow = shared_alloc(sizeof(*b->flow));
    if (b->channel) {
        channel_make("bulk", FRAMES, SIZE, false);
        channel_open(&b->out, "bulk", false, 0);
        channel_open(&b->in, "bulk", false, SPIN_NS);
    } else {
        b->places = shared_alloc((size_t)PLACES * SIZE);
    }
    return b;
}

static void finish(void *state)
{
    struct bulk *b = state;

    if (b->channel) {
        ach_close(&b->out);
        ach_close(&b->in);
        ach_unlink("bulk");
    } else {
        shared_free(b->places, (size_t)PLACES * SIZE);
    }
    shared_free(b->flow, sizeof(*b->flow));
    free(b->source);
    free(b->sink);
    free(b);
}

static void copy_in(struct bulk *b, uint64_t i)
{
    if (b->channel)
        MUST_ACH(ach_put(&b->out, b->source, SIZE));
    else
        memcpy(b->places + i % PLACES * SIZE, b->source, SIZE);
    __asm__ volatile("" : : : "memory");
}

static void copy_out(struct bulk *b, uint64_t i)
{
    size_t size;

    if (b->channel)
        MUST_ACH(ach_get(&b->in, b->sink, SIZE, &size, NULL, ACH_O_WAIT));
    else
        memcpy(b->sink, b->places + i % PLACES * SIZE, SIZE);
    __asm__ volatile("" : : : "memory");
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
    unsigned batches = 2 + scaled(MESSAGES, 4) / BATCH;
    struct bulk *b = state;
    uint64_t i, start = 0;
    pid_t peer;

    *b->flow = (struct flow){0};
    b->count = batches * BATCH;
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

#define OP(name_, run_, channel_)                                                                  \
    {                                                                                              \
        .name = (name_), .setup = setup, .run = (run_), .finish = finish, .variant = (channel_)    \
    }

const struct op bulk_ops[] = {
    OP("put + get 1 MiB", one_process, true),
    OP("memcpy 1 MiB in and out", one_process, false),
    OP("put | get, two processes", two_processes, true),
    OP("memcpy | memcpy, two processes", two_processes, false),
    {0},
};
