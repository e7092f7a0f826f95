/* SPDX-License-Identifier: BSD-3-Clause */
#include "ring.h"

#include <string.h>
#include <sys/mman.h>

#define SLOTS_MIN 2u
#define SLOTS_MAX 64u
#define BYTES_ENOUGH ((size_t)2 * 1024 * 1024)

uint32_t ring_slots(size_t stride)
{
    uint32_t slots = SLOTS_MAX;

    while (slots > SLOTS_MIN && slots * stride > BYTES_ENOUGH)
        slots /= 2;
    return slots;
}

void *ring_map(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    return memory != MAP_FAILED ? memory : NULL;
}

bool ring_init(struct ring *r, size_t size)
{
    r->size = size;
    r->stride = (size + 127) / 128 * 128;
    r->slots = ring_slots(r->stride);
    r->mapped = sizeof(*r->memory) + r->slots * r->stride;
    r->memory = ring_map(r->mapped);
    return r->memory;
}

void ring_finish(struct ring *r)
{
    munmap(r->memory, r->mapped);
}

bool ring_open(const struct ring *r)
{
    /* A child has the memory, and no page of it mapped: no message pays for that. */
    madvise(r->memory, r->mapped, MADV_POPULATE_WRITE);
    return true;
}

static unsigned char *slot(const struct ring *r, uint32_t number)
{
    return r->memory->slots + (number & (r->slots - 1)) * r->stride;
}

void ring_put(struct ring *r, const void *message)
{
    uint32_t number = atomic_load_explicit(&r->memory->sequence, memory_order_relaxed);

    /* The last message counts before this one's slot is touched: the fence in ring_get. */
    atomic_thread_fence(memory_order_release);
    memcpy(slot(r, number), message, r->size);
    atomic_store_explicit(&r->memory->sequence, number + 1, memory_order_release);
}

/* The slot of a message that is as far back as there are slots may be written to already. */
static bool is_whole(const struct ring *r, uint32_t sequence)
{
    return sequence - r->next < r->slots;
}

bool ring_get(struct ring *r, void *buffer)
{
    uint32_t sequence;

    for (;;) {
        sequence = atomic_load_explicit(&r->memory->sequence, memory_order_acquire);
        if (sequence == r->next)
            return false;
        if (!is_whole(r, sequence))
            r->next = sequence - 1;
        memcpy(buffer, slot(r, r->next), r->size);
        atomic_thread_fence(memory_order_acquire);
        sequence = atomic_load_explicit(&r->memory->sequence, memory_order_relaxed);
        if (is_whole(r, sequence))
            break;
    }
    r->next++;
    return true;
}
