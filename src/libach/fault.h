/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h - mapped channels whose files others may truncate
 *
 * Access to memory behind a file's end raises SIGBUS. The handler that ach_handle_sigbus installs
 * finds the channel among the areas here and replaces its memory by that of a closed channel: the
 * interrupted call continues and returns ACH_CORRUPT, as it does for a damaged channel.
 */
#ifndef ACHI_FAULT_H
#define ACHI_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a channel is mapped. Never freed, since a signal handler may be reading it, but reused. */
struct achi_area {
    uintptr_t base; /* 0: unused */
    size_t size;
    bool lost; /* the handler has replaced its memory */
    struct achi_area *next;
};

/* NULL: no memory. */
struct achi_area *achi_area_add(const void *base, size_t size);

/* Call it before the memory is unmapped. */
void achi_area_remove(struct achi_area *a);

static inline bool achi_area_lost(const struct achi_area *a)
{
    return a && __atomic_load_n(&a->lost, __ATOMIC_RELAXED);
}

#endif
