/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue_index.h - finds the message that a newer one of its kind replaces
 *
 * A kind is a device, a type and a subtype. The index holds the newest item of each kind that a
 * rule replaces, and no others. So a look-up compares with few messages, however many are queued.
 */
#ifndef ACHI_QUEUE_INDEX_H
#define ACHI_QUEUE_INDEX_H

#include <ach/transport.h>

#define ACHI_INDEX_BUCKETS 64u

/* A message in a queue. */
struct achi_item {
    struct achi_item *next, *prev;
    struct achi_item *bucket_next;
    bool indexed;
    ach_message_t *message;
};

struct achi_index {
    struct achi_item *buckets[ACHI_INDEX_BUCKETS];
};

/* The item of a message's kind; NULL: there is none. */
struct achi_item *achi_index_find(const struct achi_index *index, const ach_header_t *h);

/* An item of a kind that is not there yet. */
void achi_index_add(struct achi_index *index, struct achi_item *i);

/* An item that may be there. */
void achi_index_remove(struct achi_index *index, struct achi_item *i);

#endif
