/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue_index.h - a hash table that finds the message that a newer one of its kind replaces
 *
 * A kind is a device, a type and a subtype. The index holds the newest item of each kind that a
 * rule replaces, and no others. So a look-up compares with few messages, however many are queued.
 */
#ifndef DEV_QUEUE_INDEX_H
#define DEV_QUEUE_INDEX_H

#include <ach/transport.h>

#define DEV_INDEX_BUCKETS 64u

/* A message in a queue. */
struct dev_item {
    struct dev_item *next, *prev;
    struct dev_item *bucket_next;
    bool indexed;
    ach_message_t *message;
};

struct dev_index {
    struct dev_item *buckets[DEV_INDEX_BUCKETS];
};

/* The item of a message's kind; NULL: there is none. */
struct dev_item *dev_index_find(const struct dev_index *index, const ach_header_t *h);

/* Add an item. No item of its kind may be in the index. */
void dev_index_add(struct dev_index *index, struct dev_item *i);

/* Remove an item, if it is in the index. */
void dev_index_remove(struct dev_index *index, struct dev_item *i);

#endif
