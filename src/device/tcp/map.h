/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map.h - the cells of a map are compressed on the wire
 *
 * Only in answers to map's GET_DATA, and only there: inside a robot they are as they are.
 */
#ifndef ACHI_MAP_H
#define ACHI_MAP_H

#include <ach/message.h>
#include <zlib.h>

/* A map whose cells are being compressed, a slice at a time. */
struct achi_packing {
    ach_message_t *map; /* NULL: none */
    z_stream stream;
    unsigned char *bytes; /* of the result */
};

/* Cells that one call compresses, which takes about a millisecond. */
#define ACHI_MAP_SLICE 32768u

bool achi_map_is(const ach_header_t *h);

/* Whether it has so many cells that they are compressed in several slices. */
bool achi_map_large(const ach_message_t *m);

/* Begin; the caller's reference is taken over. */
void achi_map_begin(struct achi_packing *p, ach_message_t *m);

/*
 * Compress so many cells at most. NULL: there are more; otherwise the same message with its
 * cells compressed, which is the caller's; or as it was, if they cannot be.
 */
ach_message_t *achi_map_slice(struct achi_packing *p, size_t cells);

/* Give up. Does nothing if none is under way. */
void achi_map_abandon(struct achi_packing *p);

/* All of that at once. */
ach_message_t *achi_map_pack(ach_message_t *m);

/* As a message of these bytes. ACH_CORRUPT: they are not compressed cells of such a map. */
ach_status_t achi_map_unpack(const ach_header_t *h, const unsigned char *bytes, size_t size,
                             ach_message_t **m);

#endif
