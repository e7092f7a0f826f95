/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "wire.h"

#define ROOM_FIRST 4096u

void relay_buffer_finish(struct relay_buffer *b)
{
    free(b->bytes);
    memset(b, 0, sizeof(*b));
}

size_t relay_buffer_left(const struct relay_buffer *b)
{
    return b->end - b->begin;
}

static void buffer_pack(struct relay_buffer *b)
{
    if (b->begin == 0)
        return;
    memmove(b->bytes, b->bytes + b->begin, b->end - b->begin);
    b->end -= b->begin;
    b->begin = 0;
}

static bool buffer_grow(struct relay_buffer *b, size_t needed)
{
    size_t room = b->room ? b->room : ROOM_FIRST;
    unsigned char *more;

    while (room < needed)
        room *= 2;
    more = realloc(b->bytes, room);
    if (!more)
        return false;
    b->bytes = more;
    b->room = room;
    return true;
}

unsigned char *relay_buffer_reserve(struct relay_buffer *b, size_t n)
{
    if (b->failed)
        return NULL;
    if (b->room - b->end < n)
        buffer_pack(b);
    if (b->room - b->end < n && !buffer_grow(b, b->end + n)) {
        b->failed = true;
        return NULL;
    }
    return b->bytes + b->end;
}

void relay_buffer_consume(struct relay_buffer *b, size_t n)
{
    b->begin += n;
    if (b->begin == b->end)
        b->begin = b->end = 0;
}
