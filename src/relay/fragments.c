/* SPDX-License-Identifier: BSD-3-Clause */
#include "fragments.h"

#include <stdlib.h>
#include <string.h>

void relay_fragments_free(struct relay_fragments *p)
{
    free(p->bytes);
    free(p->have);
    p->bytes = p->have = NULL;
    p->room = 0;
}

void relay_fragments_reset(struct relay_fragments *p)
{
    relay_fragments_free(p);
    memset(p, 0, sizeof(*p));
}

/* A page of the buffer uses memory only when a part was written there. */
static bool parts_begin(struct relay_fragments *p, const struct relay_fragment *part)
{
    p->total = part->data.total;
    p->unit = part->unit;
    p->missing = (p->total - 1) / p->unit + 1;
    if (p->total > p->room) {
        free(p->bytes);
        p->bytes = malloc(p->total);
        p->room = p->bytes ? p->total : 0;
    }
    free(p->have);
    p->have = calloc(p->missing / 8 + 1, 1);
    return p->bytes && p->have;
}

static enum relay_fragments_result parts_store(struct relay_fragments *p,
                                               const struct relay_fragment *part)
{
    uint32_t i = part->offset / p->unit;
    unsigned char bit = (unsigned char)(1u << i % 8);

    if (part->data.total != p->total || part->unit != p->unit)
        return RELAY_FRAGMENTS_FAILED;
    if (p->have[i / 8] & bit)
        return RELAY_FRAGMENTS_LATE;
    p->have[i / 8] |= bit;
    memcpy(p->bytes + part->offset, part->data.bytes, part->data.size);
    return --p->missing ? RELAY_FRAGMENTS_MORE : RELAY_FRAGMENTS_WHOLE;
}

enum relay_fragments_result relay_fragments_add(struct relay_fragments *p,
                                                const struct relay_fragment *part, bool store,
                                                const unsigned char **bytes)
{
    const struct relay_data *d = &part->data;
    enum relay_fragments_result r = RELAY_FRAGMENTS_WHOLE;

    if (d->seq < p->seq || (d->seq == p->seq && p->done))
        return RELAY_FRAGMENTS_LATE;
    if (!store || d->size == d->total) {
        p->seq = d->seq;
        *bytes = d->bytes;
    } else {
        if (d->seq > p->seq && !parts_begin(p, part))
            r = RELAY_FRAGMENTS_FAILED;
        p->seq = d->seq;
        if (r != RELAY_FRAGMENTS_FAILED)
            r = parts_store(p, part);
        *bytes = p->bytes;
    }
    p->done = r == RELAY_FRAGMENTS_WHOLE || r == RELAY_FRAGMENTS_FAILED;
    return r;
}
