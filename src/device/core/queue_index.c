/* SPDX-License-Identifier: BSD-3-Clause */
#include "queue_index.h"

static unsigned bucket_of(const ach_header_t *h)
{
    uint32_t kind = ((uint32_t)h->address.interf << 16 | h->address.index) * 0x9e3779b1u;

    kind ^= ((uint32_t)h->type << 8 | h->subtype) * 0x85ebca6bu;
    kind ^= h->address.robot * 0xc2b2ae35u;
    return (kind ^ kind >> 16) % ACHI_INDEX_BUCKETS;
}

struct achi_item *achi_index_find(const struct achi_index *index, const ach_header_t *h)
{
    struct achi_item *i = index->buckets[bucket_of(h)];

    while (i && !ach_message_is(i->message, &h->address, h->type, h->subtype))
        i = i->bucket_next;
    return i;
}

void achi_index_add(struct achi_index *index, struct achi_item *i)
{
    struct achi_item **bucket = &index->buckets[bucket_of(ach_message_header(i->message))];

    i->indexed = true;
    i->bucket_next = *bucket;
    *bucket = i;
}

void achi_index_remove(struct achi_index *index, struct achi_item *i)
{
    struct achi_item **at;

    if (!i->indexed)
        return;
    at = &index->buckets[bucket_of(ach_message_header(i->message))];
    while (*at != i)
        at = &(*at)->bucket_next;
    *at = i->bucket_next;
    i->indexed = false;
}
