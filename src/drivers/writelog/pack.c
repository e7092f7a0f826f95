/* SPDX-License-Identifier: BSD-3-Clause */
#include "pack.h"

#include <stdint.h>
#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

/* As deflateInit, but with the header of gzip. */
#define GZIP (MAX_WBITS + 16)
#define MEMORY 8

struct drv_pack {
    z_stream stream;
    uint8_t *bytes;
    size_t size, room;
};

struct drv_pack *drv_pack_create(void)
{
    struct drv_pack *p = calloc(1, sizeof(*p));

    if (p && deflateInit2(&p->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY,
                          Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        return NULL;
    }
    return p;
}

void drv_pack_destroy(struct drv_pack *p)
{
    if (!p)
        return;
    deflateEnd(&p->stream);
    free(p->bytes);
    free(p);
}

const char *drv_pack_bytes(const struct drv_pack *p, size_t *size)
{
    *size = p->size;
    return (const char *)p->bytes;
}

void drv_pack_clear(struct drv_pack *p)
{
    p->size = 0;
}

/* The bound of deflate does not include the marker of a flush. */
static bool pack_reserve(struct drv_pack *p, size_t size)
{
    size_t room = deflateBound(&p->stream, size) + 16;
    uint8_t *more;

    if (room <= p->room)
        return true;
    more = realloc(p->bytes, room);
    if (!more)
        return false;
    p->bytes = more;
    p->room = room;
    return true;
}

bool drv_pack_add(struct drv_pack *p, const char *text, size_t size, bool end)
{
    if (size > UINT32_MAX / 2 || !pack_reserve(p, size))
        return false;
    p->stream.next_in = (const Bytef *)text;
    p->stream.avail_in = (uInt)size;
    p->stream.next_out = p->bytes;
    p->stream.avail_out = (uInt)p->room;
    deflate(&p->stream, end ? Z_FINISH : Z_SYNC_FLUSH);
    p->size = p->room - p->stream.avail_out;
    return true;
}
