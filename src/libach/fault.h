/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h - mapped channels whose files may be cut short by others
 *
 * Touching memory behind a file's end is SIGBUS. The handler that ach_handle_sigbus installs looks
 * for the channel among the areas here and gives it other memory, that of a closed channel: the
 * call that was interrupted goes on and returns ACH_CORRUPT, as it does for a damaged channel.
 */
#ifndef ACHI_FAULT_H
#define ACHI_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a channel is mapped. Never freed, since a handler may look at it: used again. */
struct achi_area {
    uintptr_t base; /* 0: unused */
    size_t size;
    bool lost; /* the handler has replaced its memory */
    struct achi_area *next;
};

/* NULL: no memory. */
struct achi_area *achi_area_add(const void *base, size_t size);

/* Before it is unmapped. */
void achi_area_remove(struct achi_area *a);

static inline bool achi_area_lost(const struct achi_area *a)
{
    return a && __atomic_load_n(&a->lost, __ATOMIC_RELAXED);
}

#endif
