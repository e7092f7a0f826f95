/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring.h - messages of one sender in shared memory
 *
 * The sequence counts what was put. Nobody waits for a slow receiver: what it
 * missed is overwritten, and it goes on with the newest. How receivers learn
 * that there is something is for others to add.
 */
#ifndef PEERS_RING_H
#define PEERS_RING_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench.h"
#include "contender.h"

struct ring_memory {
    _Atomic uint32_t sequence APART;
    unsigned char slots[] APART;
};

struct ring {
    struct ring_memory *memory;
    size_t mapped;
    size_t size, stride; /* of a message, and its slot */
    uint32_t slots;      /* a power of two */
    uint32_t next;       /* a receiver's: what it has not got yet */
};

/* How many slots of this stride: 64, or as many as fit into 2 MiB, but at least 2. */
uint32_t ring_slots(size_t stride);

/* Memory for all processes; NULL: there is none. Freed by munmap. */
void *ring_map(size_t bytes);

bool ring_init(struct ring *r, size_t size);
void ring_finish(struct ring *r);

/* In each end. Always true. */
bool ring_open(const struct ring *r);

void ring_put(struct ring *r, const void *message);
bool ring_get(struct ring *r, void *buffer); /* false: nothing new */

#endif
