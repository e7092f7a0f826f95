/* SPDX-License-Identifier: BSD-3-Clause */
#include "cdr.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 1024u

void feed_cdr_header(uint8_t to[FEED_CDR_HEADER])
{
    static const uint8_t little_endian[FEED_CDR_HEADER] = {0, 1, 0, 0};

    memcpy(to, little_endian, FEED_CDR_HEADER);
}

static bool cdr_grow(struct feed_cdr *c, size_t needed)
{
    size_t room = c->room ? c->room : ROOM_FIRST;
    uint8_t *more;

    if (c->failed)
        return false;
    if (needed <= c->room)
        return true;
    while (room < needed)
        room *= 2;
    more = realloc(c->bytes, room);
    c->failed = !more;
    if (!more)
        return false;
    c->bytes = more;
    c->room = room;
    return true;
}

void feed_cdr_begin(struct feed_cdr *c)
{
    c->failed = false;
    c->used = 0;
    if (!cdr_grow(c, FEED_CDR_HEADER))
        return;
    feed_cdr_header(c->bytes);
    c->used = FEED_CDR_HEADER;
}

void feed_cdr_finish(struct feed_cdr *c)
{
    free(c->bytes);
    memset(c, 0, sizeof(*c));
}

/* Alignment counts from behind the header, which has 4 bytes. */
uint8_t *feed_cdr_take(struct feed_cdr *c, size_t align, size_t n)
{
    size_t at = ((c->used - FEED_CDR_HEADER + align - 1) & ~(align - 1)) + FEED_CDR_HEADER;

    if (c->failed || n > SIZE_MAX / 4 - at || !cdr_grow(c, at + n))
        return NULL;
    memset(c->bytes + c->used, 0, at - c->used);
    c->used = at + n;
    return c->bytes + at;
}

static void cdr_number(struct feed_cdr *c, const void *little_endian, size_t size)
{
    uint8_t *to = feed_cdr_take(c, size, size);

    if (to)
        memcpy(to, little_endian, size);
}

void feed_cdr_u8(struct feed_cdr *c, uint8_t value)
{
    cdr_number(c, &value, sizeof(value));
}

void feed_cdr_u16(struct feed_cdr *c, uint16_t value)
{
    value = htole16(value);
    cdr_number(c, &value, sizeof(value));
}

void feed_cdr_u32(struct feed_cdr *c, uint32_t value)
{
    value = htole32(value);
    cdr_number(c, &value, sizeof(value));
}

void feed_cdr_i32(struct feed_cdr *c, int32_t value)
{
    feed_cdr_u32(c, (uint32_t)value);
}

void feed_cdr_f32(struct feed_cdr *c, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    feed_cdr_u32(c, bits);
}

void feed_cdr_f64(struct feed_cdr *c, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits = htole64(bits);
    cdr_number(c, &bits, sizeof(bits));
}

void feed_cdr_f64s(struct feed_cdr *c, double value, size_t n)
{
    while (n--)
        feed_cdr_f64(c, value);
}

void feed_cdr_text(struct feed_cdr *c, const char *text)
{
    feed_cdr_bytes(c, text, (uint32_t)strlen(text) + 1);
}

void feed_cdr_bytes(struct feed_cdr *c, const void *bytes, uint32_t n)
{
    uint8_t *to;

    feed_cdr_u32(c, n);
    to = feed_cdr_take(c, 1, n);
    if (to && n)
        memcpy(to, bytes, n);
}
