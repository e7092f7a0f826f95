/* SPDX-License-Identifier: BSD-3-Clause */
#include "queue_index.h"

static unsigned bucket_of(const ach_header_t *h)
{
    uint32_t kind = ((uint32_t)h->address.interf << 16 | h->address.index) * 0x9e3779b1u;

    kind ^= ((uint32_t)h->type << 8 | h->subtype) * 0x85ebca6bu;
    kind ^= h->address.robot * 0xc2b2ae35u;
    return (kind ^ kind >> 16) % DEV_INDEX_BUCKETS;
}

struct dev_item *dev_index_find(const struct dev_index *index, const ach_header_t *h)
{
    struct dev_item *i = index->buckets[bucket_of(h)];

    while (i && !ach_message_is(i->message, &h->address, h->type, h->subtype))
        i = i->bucket_next;
    return i;
}

void dev_index_add(struct dev_index *index, struct dev_item *i)
{
    struct dev_item **bucket = &index->buckets[bucket_of(ach_message_header(i->message))];

    i->indexed = true;
    i->bucket_next = *bucket;
    *bucket = i;
}

void dev_index_remove(struct dev_index *index, struct dev_item *i)
{
    struct dev_item **at;

    if (!i->indexed)
        return;
    at = &index->buckets[bucket_of(ach_message_header(i->message))];
    while (*at != i)
        at = &(*at)->bucket_next;
    *at = i->bucket_next;
    i->indexed = false;
}
