/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <ach.h>
#include <ach/interface/map.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A map is asked for while others wait: little time matters more than few bytes. */
#define LEVEL 1

bool achi_map_is(const ach_header_t *h)
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

ach_message_t *achi_map_pack(ach_message_t *m)
{
    const ach_map_data_t *map = ach_message_body(m);
    uLongf n = map ? compressBound(map->data_count) : 0;
    ach_message_t *packed = m;
    unsigned char *cells;

    if (!map || !(cells = malloc(n)))
        return m;
    if (compress2(cells, &n, (const Bytef *)map->data, map->data_count, LEVEL) == Z_OK &&
        with_cells(ach_message_header(m), map, cells, n, &packed) == ACH_OK)
        ach_message_unref(m);
    free(cells);
    return packed;
}

/* A map has as many cells as it says: that many are made room for, and no more come out. */
static ach_status_t unpack(const ach_header_t *h, const ach_map_data_t *map, ach_message_t **m)
{
    uint64_t room = (uint64_t)map->width * map->height;
    uLongf n = (uLongf)room;
    ach_status_t status;
    unsigned char *cells;

    if (room > ACH_MAP_DATA_DATA_MAX)
        return ach_errstr_set(ACH_CORRUPT, "a map of %u by %u cells", map->width, map->height);
    cells = malloc(room + 1);
    if (!cells)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a map");
    if (uncompress(cells, &n, (const Bytef *)map->data, map->data_count) == Z_OK)
        status = with_cells(h, map, cells, n, m);
    else
        status =
            ach_errstr_set(ACH_CORRUPT, "the cells of a map are not compressed as they should");
    free(cells);
    return status;
}

ach_status_t achi_map_unpack(const ach_header_t *h, const unsigned char *bytes, size_t size,
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
