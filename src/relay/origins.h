/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * origins.h - which messages a channel has, by the channel where they were first put
 *
 * The table is bounded. An origin that was not used for a minute may be replaced, others not: in a
 * ring, a message of a forgotten origin would be put once more each time that it came around.
 */
#ifndef RELAY_ORIGINS_H
#define RELAY_ORIGINS_H

#include "wire.h"

struct relay_origin {
    struct relay_mark mark;
    bool timed;
    int64_t offset;        /* local time less the origin's clock, if timed */
    uint64_t offset_error; /* nanoseconds */
    uint64_t used;         /* time */
};

struct relay_origins {
    unsigned n;
    struct relay_origin entries[RELAY_WIRE_MARKS];
};

/* NULL: unknown. */
struct relay_origin *relay_origins_find(struct relay_origins *o, uint64_t epoch);

/* The same; an unknown origin is added. NULL: there is no room. */
struct relay_origin *relay_origins_add(struct relay_origins *o, uint64_t epoch);

void relay_origins_tell(const struct relay_origins *o, struct relay_terms *t);

#endif
