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
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../ticks.h"
#include "kernel.h"
#include "setup.h"

#define ALIGNMENT 128u /* two lines: some processors fetch them in pairs */
#define SLOTS_MIN 2u
#define SLOTS_MAX 64u
#define BYTES_ENOUGH ((size_t)2 * 1024 * 1024)
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

static void *setup(const struct job *job)
{
    struct line *l = calloc(1, sizeof(*l));

    if (!l)
        return refuse(job, "no memory");
    l->size = job->size;
    l->stride = (sizeof(struct slot) + job->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    for (l->slots = SLOTS_MAX; l->slots > SLOTS_MIN; l->slots /= 2)
        if (l->slots * l->stride <= BYTES_ENOUGH)
            break;
    l->memory = mmap(NULL, l->slots * l->stride, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (l->memory != MAP_FAILED)
        return l;
    free(l);
    return refuse(job, "no memory");
}

static void finish(void *link)
{
    struct line *l = link;

    munmap(l->memory, l->slots * l->stride);
    free(l);
}

static struct slot *slot_of(const struct line *l, uint64_t number)
{
    return (struct slot *)(l->memory + (number & (l->slots - 1)) * l->stride);
}

static int send_message(void *link, const void *message, size_t size)
{
    struct line *l = link;
    struct slot *s = slot_of(l, l->next);

    memcpy(s->bytes, message, size);
    atomic_store_explicit(&s->sequence, ++l->next, memory_order_release);
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

static ssize_t receive(void *link, void *buffer, size_t room, int timeout_ms)
{
    struct line *l = link;
    struct slot *s = slot_of(l, l->next);
    uint64_t end = 0;
    unsigned looks;

    if (room < l->size)
        return -1;
    do {
        for (looks = 0; looks < LOOKS; looks++) {
            uint64_t sequence = atomic_load_explicit(&s->sequence, memory_order_acquire);

            if (sequence > l->next && copy(l, sequence - 1, buffer))
                return (ssize_t)l->size;
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
    .max_senders = 1,
    .setup = setup,
    .finish = finish,
    .open = open_nothing,
    .close = close_nothing,
    .send = send_message,
    .receive = receive,
};
