/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pending.h - requests that were passed on and are not answered yet
 *
 * Requests of several clients may have the same sequence number. So each one gets a new sequence
 * when it is passed on, by which its answer finds it. A table of zeros is empty. The caller
 * locks it if several threads use it.
 *
 * It is a header, so that libraries can use it without exporting a symbol.
 */
#ifndef PENDING_H
#define PENDING_H

#include <ach/message.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PENDING_MAX 1024u

struct pending_slot {
    uint32_t sequence;
    ach_message_t *request; /* NULL: the slot is free */
};

struct pending_table {
    uint32_t sequence; /* the newest */
    unsigned n;        /* requests in the table */
    struct pending_slot slots[PENDING_MAX];
};

static inline bool pending_full(const struct pending_table *p)
{
    return p->n == PENDING_MAX;
}

/* 0 is the sequence of servers that give no sequence. */
static inline struct pending_slot *pending_next_slot(struct pending_table *p)
{
    p->sequence += p->sequence == UINT32_MAX ? 2 : 1;
    return &p->slots[p->sequence % PENDING_MAX];
}

/*
 * Keep a reference to a request under a new sequence. If the table is full it replaces an old
 * request, which the caller releases: its sender gets a NACK. Else returns NULL.
 */
static inline ach_message_t *pending_add(struct pending_table *p, const ach_message_t *request,
                                         uint32_t *sequence)
{
    struct pending_slot *slot = pending_next_slot(p);
    ach_message_t *replaced;

    while (slot->request && !pending_full(p))
        slot = pending_next_slot(p);
    replaced = slot->request;
    p->n += !replaced;
    *slot = (struct pending_slot){p->sequence, ach_message_ref(request)};
    *sequence = p->sequence;
    return replaced;
}

static inline ach_message_t *pending_remove(struct pending_table *p, struct pending_slot *slot)
{
    ach_message_t *request = slot->request;

    p->n -= request != NULL;
    slot->request = NULL;
    return request;
}

/* Remove a request; the caller releases it. NULL: there is none with this sequence. */
static inline ach_message_t *pending_take(struct pending_table *p, uint32_t sequence)
{
    struct pending_slot *slot = &p->slots[sequence % PENDING_MAX];

    return slot->sequence == sequence ? pending_remove(p, slot) : NULL;
}

/* The oldest request of a subtype, for servers whose answers have no sequence. */
static inline ach_message_t *pending_take_oldest(struct pending_table *p, uint8_t subtype)
{
    struct pending_slot *slot, *oldest = NULL;

    for (slot = p->slots; slot < p->slots + PENDING_MAX; slot++)
        if (slot->request && ach_message_header(slot->request)->subtype == subtype &&
            (!oldest || p->sequence - slot->sequence > p->sequence - oldest->sequence))
            oldest = slot;
    return oldest ? pending_remove(p, oldest) : NULL;
}

/* Release all requests: each sender gets a NACK. */
static inline void pending_release(struct pending_table *p)
{
    struct pending_slot *slot;

    for (slot = p->slots; p->n; slot++)
        ach_message_unref(pending_remove(p, slot));
}

#endif
