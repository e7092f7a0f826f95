/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agenda.h - the world's scheduled actions, ordered by time
 *
 * A heap of items that the caller owns. Items with the same time are ordered by rank, which is
 * the device's place in the config file; items with the same rank as well, in the order in which
 * they were added. So the order is deterministic.
 *
 * Not thread-safe: the caller holds the world's lock.
 */
#ifndef SIMD_SIM_AGENDA_H
#define SIMD_SIM_AGENDA_H

#include <ach/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simd_agenda_item {
    ach_status_t (*act)(struct simd_agenda_item *item); /* called after removal */
    int64_t time;                                       /* ns */
    unsigned rank;
    uint64_t serial; /* order of adding, set by simd_agenda_add */
    size_t place;    /* in the heap, from 1; 0: not in it */
};

/* All zero: empty. */
struct simd_agenda {
    struct simd_agenda_item **items;
    size_t count, room;
    uint64_t serial;
};

void simd_agenda_finish(struct simd_agenda *a);

/* The item must not be in the agenda. ACH_FAILED_SYSCALL: no memory. */
ach_status_t simd_agenda_add(struct simd_agenda *a, struct simd_agenda_item *item, int64_t time);

/* Does nothing if the item is not in the agenda. */
void simd_agenda_remove(struct simd_agenda *a, struct simd_agenda_item *item);

/* The earliest item; NULL: the agenda is empty. */
struct simd_agenda_item *simd_agenda_first(const struct simd_agenda *a);

#endif
