/* SPDX-License-Identifier: BSD-3-Clause */
#include "origins.h"

#include <string.h>

#include "clock.h"

#define KEEP_NS 60000000000u

struct relay_origin *relay_origins_find(struct relay_origins *o, uint64_t epoch)
{
    unsigned i;

    for (i = 0; i < o->n; i++)
        if (o->entries[i].mark.epoch == epoch) {
            o->entries[i].used = relay_clock_now();
            return &o->entries[i];
        }
    return NULL;
}

static struct relay_origin *least_used(struct relay_origins *o)
{
    struct relay_origin *e, *least = o->entries;

    for (e = o->entries; e < o->entries + o->n; e++)
        if (e->used < least->used)
            least = e;
    return least;
}

struct relay_origin *relay_origins_add(struct relay_origins *o, uint64_t epoch)
{
    struct relay_origin *e = relay_origins_find(o, epoch);
    uint64_t now;

    if (e)
        return e;
    now = relay_clock_now();
    e = o->n < RELAY_WIRE_MARKS ? &o->entries[o->n] : least_used(o);
    if (o->n == RELAY_WIRE_MARKS && now - e->used < KEEP_NS)
        return NULL;
    memset(e, 0, sizeof(*e));
    e->mark.epoch = epoch;
    e->used = now;
    if (o->n < RELAY_WIRE_MARKS)
        o->n++;
    return e;
}

void relay_origins_tell(const struct relay_origins *o, struct relay_terms *t)
{
    for (t->n_marks = 0; t->n_marks < o->n; t->n_marks++)
        t->marks[t->n_marks] = o->entries[t->n_marks].mark;
}
