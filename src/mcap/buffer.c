/* SPDX-License-Identifier: BSD-3-Clause */
#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_FIRST 64

/* Messages seldom become smaller than by this factor. */
#define BUFFER_RATIO 16
#define BUFFER_LEAST 65536

void *mcap_array_grow(void *array, size_t *room, size_t need, size_t element)
{
    size_t more = *room + *room / 2 + BUFFER_FIRST / element + 1;
    void *grown;

    if (more < need)
        more = need;
    if (more > SIZE_MAX / 2 / element) {
        errno = ENOMEM;
        return NULL;
    }
    grown = realloc(array, more * element);
    if (grown)
        *room = more;
    return grown;
}

bool mcap_array_grow_zero(void *array, size_t *room, size_t need, size_t element)
{
    size_t before = *room;
    uint8_t *old, *grown;

    memcpy(&old, array, sizeof(old));
    grown = mcap_array_grow(old, room, need, element);
    if (!grown)
        return false;
    memset(grown + before * element, 0, (*room - before) * element);
    memcpy(array, &grown, sizeof(grown));
    return true;
}

bool mcap_buffer_reserve(struct mcap_buffer *b, size_t more)
{
    uint8_t *grown;

    if (more <= b->room - b->size)
        return true;
    grown = more > SIZE_MAX - b->size ? NULL : mcap_array_grow(b->at, &b->room, b->size + more, 1);
    if (!grown) {
        b->failed = true;
        errno = ENOMEM;
        return false;
    }
    b->at = grown;
    return true;
}

bool mcap_buffer_expand(struct mcap_buffer *b, size_t stored, size_t expected)
{
    size_t likely = stored > expected / BUFFER_RATIO ? expected : stored * BUFFER_RATIO;
    size_t goal = b->size + b->size / 2;

    if (likely < BUFFER_LEAST)
        likely = BUFFER_LEAST;
    if (goal < likely)
        goal = likely;
    if (goal > expected)
        goal = expected;
    /* One byte, so that an empty chunk has an address. */
    return mcap_buffer_reserve(b, goal == 0 ? 1 : goal - b->size);
}

void mcap_buffer_append(struct mcap_buffer *b, const void *data, size_t size)
{
    if (!size || !mcap_buffer_reserve(b, size))
        return;
    memcpy(b->at + b->size, data, size);
    b->size += size;
}

void mcap_buffer_free(struct mcap_buffer *b)
{
    free(b->at);
    *b = (struct mcap_buffer){0};
}
