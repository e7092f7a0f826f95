/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unhandled.h - the body of the answer to a flush: commands of the handle that no driver handled
 *
 * Four bytes, big-endian, and text up to the end. The number is that since the subscription, and
 * wraps: if a client misses an answer, the next one tells it as much.
 */
#ifndef DEVCH_UNHANDLED_H
#define DEVCH_UNHANDLED_H

#include <ach/transport.h>
#include <stdio.h>
#include <string.h>

struct devch_unhandled {
    uint32_t count;
    char why[ACH_UNHANDLED_WHY]; /* of the last one */
};

#define DEVCH_UNHANDLED_MAX (4u + ACH_UNHANDLED_WHY)

/* Returns the number of bytes. */
static inline size_t devch_unhandled_write(const struct devch_unhandled *from,
                                           unsigned char to[DEVCH_UNHANDLED_MAX])
{
    size_t n = strnlen(from->why, sizeof(from->why));

    to[0] = (unsigned char)(from->count >> 24);
    to[1] = (unsigned char)(from->count >> 16);
    to[2] = (unsigned char)(from->count >> 8);
    to[3] = (unsigned char)from->count;
    memcpy(to + 4, from->why, n);
    return 4 + n;
}

/* False: the answer has no such body. */
static inline bool devch_unhandled_read(const unsigned char *from, size_t size,
                                        struct devch_unhandled *to)
{
    if (size < 4)
        return false;
    to->count =
        (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
    snprintf(to->why, sizeof(to->why), "%.*s",
             (int)(size - 4 < sizeof(to->why) ? size - 4 : sizeof(to->why) - 1),
             (const char *)from + 4);
    return true;
}

#endif
