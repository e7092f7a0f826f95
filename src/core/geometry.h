/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * geometry.h - how large the parts of a channel are
 *
 * All sizes follow from the number and size of frames. A header read from
 * shared memory is checked by computing them again: no field is trusted.
 *
 * The ring holds at least two messages of full capacity, so that the newest
 * message is never overwritten before its successor is visible (G1), and twice
 * frame_cnt messages of frame_size, so that such messages are evicted by count
 * and never for lack of bytes.
 */
#ifndef ACHI_GEOMETRY_H
#define ACHI_GEOMETRY_H

#include <ach/status.h>

#include "layout.h"

struct achi_geometry {
    uint64_t frame_cnt;
    uint64_t frame_size;
    uint64_t capacity; /* the largest message */
    uint64_t slots;
    uint64_t type_off;
    uint64_t data_off;
    uint64_t data_size;
    uint64_t memory; /* header, entries, type, ring, and spare room unless mirrored */
    uint64_t span;   /* address space: the same, but a mirrored ring counts twice */
    uint32_t flags;
    uint32_t page;
    uint32_t type_size;
};

/*
 * One process's access to a channel: checked copies of the header's fields, pointers to its
 * memory.
 */
struct achi_view {
    struct ach_header *hdr;
    struct achi_entry *entries;
    unsigned char *data;
    uint64_t mask; /* slots - 1 */
    uint64_t frame_cnt;
    uint64_t capacity;
    uint64_t data_size;
    uint64_t inline_max; /* a message no larger than this lives in its entry */
    uint32_t flags;
    int32_t clock;
};

/* Where a relayed message was first put; all 0: into this channel. */
struct achi_origin {
    uint64_t epoch; /* of that channel */
    uint64_t seq;   /* of the message in it */
    uint64_t stamp; /* its timestamp there */
};

/* Compute a geometry. ACH_EINVAL if an argument is 0, invalid or beyond the limits. */
enum ach_status achi_geometry_init(struct achi_geometry *g, uint64_t frame_cnt, uint64_t frame_size,
                                   uint32_t page, uint32_t flags, uint32_t type_size);

/*
 * Check a private copy of a header against the size of the memory it came from.
 * ACH_BAD_SHM_FILE: not a channel, or truncated. ACH_BAD_HEADER: a channel of
 * another layout.
 */
enum ach_status achi_geometry_check(struct achi_geometry *g, const struct ach_header *copy,
                                    uint64_t memory, uint32_t page);

/* Format zeroed memory as a channel that has never held a message. The type is left to the caller. */
void achi_format(struct ach_header *hdr, const struct achi_geometry *g, int32_t clock,
                 uint64_t pidns, uint64_t epoch);

/* Set up a view of a channel's memory from a checked geometry. */
void achi_view_init(struct achi_view *v, struct ach_header *hdr, const struct achi_geometry *g,
                    int32_t clock);

static inline struct achi_entry *achi_entry_of(const struct achi_view *v, uint64_t seq)
{
    return &v->entries[seq & v->mask];
}

#endif
