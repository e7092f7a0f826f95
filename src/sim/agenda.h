/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agenda.h - what the world does by itself, and when
 *
 * A heap of items that are the caller's. What is due at the same time is done in the
 * order of rank, which is the device's place in the config file; what has the same
 * rank as well, in the order in which it was added. So the order depends on nothing
 * but what was asked for.
 *
 * One thread.
 */
#ifndef ACHI_SIM_AGENDA_H
#define ACHI_SIM_AGENDA_H

#include <ach/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct achi_agenda_item {
    ach_status_t (*act)(struct achi_agenda_item *item); /* it is out of the agenda by then */
    int64_t time;                                       /* ns */
    unsigned rank;
    uint64_t serial; /* the agenda's, as the next */
    size_t place;    /* in the heap, from 1; 0: not in it */
};

/* All zero: empty. */
struct achi_agenda {
    struct achi_agenda_item **items;
    size_t count, room;
    uint64_t serial;
};

void achi_agenda_finish(struct achi_agenda *a);

/* An item that is not in it. ACH_FAILED_SYSCALL: no memory. */
ach_status_t achi_agenda_add(struct achi_agenda *a, struct achi_agenda_item *item, int64_t time);

/* An item that may be in it. */
void achi_agenda_remove(struct achi_agenda *a, struct achi_agenda_item *item);

/* What comes first; NULL: nothing. */
struct achi_agenda_item *achi_agenda_first(const struct achi_agenda *a);

#endif
