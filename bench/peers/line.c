/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * line.c - the floor for receivers that spin
 *
 * A slot begins with its sequence, and the message follows: the cache line that
 * shows that there is a message brings its first bytes too. The sequence of
 * message n is n + 1. Nobody waits for a slow receiver: it goes on with what it
 * finds in the slot.
 */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "built_in.h"
#include "ring.h"
#include "ticks.h"

#define ALIGNMENT 128u
#define LOOKS 256u /* between two looks at the clock */

struct slot {
    _Atomic uint64_t sequence;
    unsigned char bytes[];
};

struct line {
    unsigned char *memory;
    size_t size, stride;
    uint64_t slots; /* a power of two */
    uint64_t next;  /* to send, or to receive: each end has its own */
};

static bool setup(struct link *l)
{
    struct line *n = l->state;

    n->size = l->size;
    n->stride = (sizeof(struct slot) + l->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    n->slots = ring_slots(n->stride);
    n->memory = ring_map(n->slots * n->stride);
    return n->memory || refuse(l, "no memory");
}

static void finish(struct link *l)
{
    struct line *n = l->state;

    munmap(n->memory, n->slots * n->stride);
}

static struct slot *slot_of(const struct line *l, uint64_t number)
{
    return (struct slot *)(l->memory + (number & (l->slots - 1)) * l->stride);
}

static int send_message(struct link *l)
{
    struct line *n = l->state;
    struct slot *s = slot_of(n, n->next);

    memcpy(s->bytes, l->message, l->size);
    atomic_store_explicit(&s->sequence, ++n->next, memory_order_release);
    /* This message counts before the next slot is touched: the fence in copy. */
    atomic_thread_fence(memory_order_release);
    return 1;
}

/* It is whole if the message that the sender writes before it overwrites this one is not there. */
static bool copy(struct line *l, uint64_t number, void *buffer)
{
    struct slot *before = slot_of(l, number - 1);

    memcpy(buffer, slot_of(l, number)->bytes, l->size);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&before->sequence, memory_order_relaxed) >= number + l->slots)
        return false;
    l->next = number + 1;
    return true;
}

static ssize_t receive(struct link *l, int timeout_ms)
{
    struct line *n = l->state;
    struct slot *s = slot_of(n, n->next);
    uint64_t end = 0;
    unsigned looks;

    do {
        for (looks = 0; looks < LOOKS; looks++) {
            uint64_t sequence = atomic_load_explicit(&s->sequence, memory_order_acquire);

            if (sequence > n->next && copy(n, sequence - 1, l->message))
                return (ssize_t)n->size;
            relax();
        }
        if (!end)
            end = clock_ns() + (uint64_t)timeout_ms * 1000000u;
    } while (clock_ns() < end);
    return 0;
}

const struct contender line_contender = {
    .name = "cache line",
    .source = __FILE__,
    .kind = KIND_FLOOR,
    .settings = "the sequence and the message side by side, 64 slots or 2 MiB, at least 2",
    .modes = MODE_SPIN,
    .waits = MODE_SPIN,
    .max_senders = 1,
    .state_size = sizeof(struct line),
    .setup = setup,
    .finish = finish,
    .send = send_message,
    .receive = receive,
};
