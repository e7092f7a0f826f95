/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map.h - compression of the cells of a map on the wire
 *
 * Only in answers to GET_DATA of the interface map. Inside a robot they are not compressed.
 */
#ifndef TCP_MAP_H
#define TCP_MAP_H

#include <ach/message.h>
#include <zlib.h>

/* A map whose cells are being compressed, a slice at a time. */
struct tcp_packing {
    ach_message_t *map; /* NULL: none */
    z_stream stream;
    unsigned char *bytes; /* of the result */
};

/* Cells that one call compresses, which takes about a millisecond. */
#define TCP_MAP_SLICE 32768u

bool tcp_map_is(const ach_header_t *h);

/* Whether its cells take more than one slice to compress. */
bool tcp_map_large(const ach_message_t *m);

/* Begin; takes the caller's reference. */
void tcp_map_begin(struct tcp_packing *p, ach_message_t *m);

/*
 * Compress at most @cells cells. NULL: more are left. Otherwise the message with compressed
 * cells, or unchanged if they cannot be compressed; the caller owns the reference.
 */
ach_message_t *tcp_map_slice(struct tcp_packing *p, size_t cells);

/* Give up. Does nothing if no compression is in progress. */
void tcp_map_abandon(struct tcp_packing *p);

/* Compress all cells in one call. */
ach_message_t *tcp_map_pack(ach_message_t *m);

/* Make a message with the cells decompressed. ACH_CORRUPT: the bytes are no compressed map. */
ach_status_t tcp_map_unpack(const ach_header_t *h, const unsigned char *bytes, size_t size,
                            ach_message_t **m);

#endif
