/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <ach.h>
#include <ach/interface/map.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* The fastest level of zlib: other clients wait while a map is compressed. */
#define LEVEL 1

bool tcp_map_is(const ach_header_t *h)
{
    return h->address.interf == ACH_MAP_CODE && h->type == ACH_MSG_ACK &&
           h->subtype == ACH_MAP_REQ_GET_DATA;
}

static ach_status_t with_cells(const ach_header_t *h, const ach_map_data_t *map, const void *cells,
                               size_t n, ach_message_t **m)
{
    ach_map_data_t other = *map;

    other.data_count = (uint32_t)n;
    other.data = (int8_t *)(uintptr_t)cells;
    return ach_message_create(h, &other, m);
}

/*
 * The encoded map: col, row, width, height, the count of the cells, data_range, the count again,
 * and the cells, a byte each. The cells are compressed from there: decoding would copy them.
 */
#define AT_COUNT 16u
#define AT_COUNT_AGAIN 24u
#define AT_CELLS 28u

/* *n: number of cells. NULL: not a map. */
static const unsigned char *cells_of(const ach_message_t *m, size_t *n)
{
    size_t size;
    const unsigned char *bytes = ach_message_bytes(m, &size);

    if (size < AT_CELLS)
        return NULL;
    *n = tcp_wire_number(bytes + AT_COUNT);
    return *n == tcp_wire_number(bytes + AT_COUNT_AGAIN) && *n <= size - AT_CELLS ? bytes + AT_CELLS
                                                                                  : NULL;
}

bool tcp_map_large(const ach_message_t *m)
{
    size_t n;

    return cells_of(m, &n) && n > TCP_MAP_SLICE;
}

/* Without memory for the result the map stays uncompressed; p->bytes is NULL then. */
void tcp_map_begin(struct tcp_packing *p, ach_message_t *m)
{
    size_t n;
    const unsigned char *cells = cells_of(m, &n);

    memset(p, 0, sizeof(*p));
    p->map = m;
    if (!cells || deflateInit(&p->stream, LEVEL) != Z_OK)
        return;
    p->bytes = malloc(AT_CELLS + deflateBound(&p->stream, n) + 3);
    if (!p->bytes) {
        deflateEnd(&p->stream);
        return;
    }
    memcpy(p->bytes, cells - AT_CELLS, AT_CELLS);
    p->stream.next_in = (Bytef *)(uintptr_t)cells;
    p->stream.avail_in = (uInt)n;
    p->stream.next_out = p->bytes + AT_CELLS;
    p->stream.avail_out = (uInt)deflateBound(&p->stream, n);
}

/* False: more cells are left. */
static bool compress_some(struct tcp_packing *p, size_t cells)
{
    uInt rest = p->stream.avail_in > cells ? p->stream.avail_in - (uInt)cells : 0;

    p->stream.avail_in -= rest;
    deflate(&p->stream, rest ? Z_NO_FLUSH : Z_FINISH);
    p->stream.avail_in += rest;
    return !rest;
}

static ach_message_t *packed(const struct tcp_packing *p)
{
    size_t n = (size_t)(p->stream.next_out - p->bytes) - AT_CELLS;
    size_t size = AT_CELLS + (n + 3) / 4 * 4;
    ach_message_t *m = NULL;

    tcp_wire_put(p->bytes + AT_COUNT, (uint32_t)n);
    tcp_wire_put(p->bytes + AT_COUNT_AGAIN, (uint32_t)n);
    memset(p->bytes + AT_CELLS + n, 0, size - AT_CELLS - n);
    if (n <= ACH_MAP_DATA_DATA_MAX)
        ach_message_wrap(ach_message_header(p->map), p->bytes, size, &m);
    return m;
}

ach_message_t *tcp_map_slice(struct tcp_packing *p, size_t cells)
{
    ach_message_t *m;

    if (p->bytes && !compress_some(p, cells))
        return NULL;
    m = p->bytes ? packed(p) : NULL;
    if (!m)
        m = ach_message_ref(p->map);
    tcp_map_abandon(p);
    return m;
}

void tcp_map_abandon(struct tcp_packing *p)
{
    if (p->bytes)
        deflateEnd(&p->stream);
    free(p->bytes);
    ach_message_unref(p->map);
    memset(p, 0, sizeof(*p));
}

ach_message_t *tcp_map_pack(ach_message_t *m)
{
    struct tcp_packing p;

    tcp_map_begin(&p, m);
    return tcp_map_slice(&p, SIZE_MAX);
}

/* The result has room for width times height cells; uncompress fails if there are more. */
static ach_status_t unpack(const ach_header_t *h, const ach_map_data_t *map, ach_message_t **m)
{
    uint64_t room = (uint64_t)map->width * map->height;
    uLongf n = (uLongf)room;
    ach_status_t status;
    unsigned char *cells;

    if (room > ACH_MAP_DATA_DATA_MAX)
        return ach_errstr_set(ACH_CORRUPT, "a map of %u by %u cells is too large", map->width,
                              map->height);
    cells = malloc((size_t)room + 1);
    if (!cells)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a map");
    if (uncompress(cells, &n, (const Bytef *)map->data, map->data_count) == Z_OK)
        status = with_cells(h, map, cells, n, m);
    else
        status = ach_errstr_set(ACH_CORRUPT, "the cells of a map cannot be decompressed");
    free(cells);
    return status;
}

ach_status_t tcp_map_unpack(const ach_header_t *h, const unsigned char *bytes, size_t size,
                            ach_message_t **m)
{
    ach_map_data_t *map;
    void *body;
    ach_status_t status;

    if (size == 0)
        return ach_message_wrap(h, bytes, size, m);
    status = ach_decode_new(&ach_map_data_type, bytes, size, &body);
    if (status != ACH_OK)
        return ach_errstr_set(ACH_CORRUPT, "not a map");
    map = body;
    status = unpack(h, map, m);
    free(body);
    return status;
}
