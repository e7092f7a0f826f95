/* SPDX-License-Identifier: BSD-3-Clause */
/* bytes.h - numbers in binary messages, little-endian */
#ifndef VIEW_BYTES_H
#define VIEW_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint8_t *view_put(uint8_t *to, uint64_t n, unsigned bytes)
{
    unsigned i;

    for (i = 0; i < bytes; i++)
        to[i] = (uint8_t)(n >> 8 * i);
    return to + bytes;
}

static inline uint8_t *view_put_double(uint8_t *to, double real)
{
    uint64_t n;

    memcpy(&n, &real, sizeof(n));
    return view_put(to, n, 8);
}

static inline uint64_t view_get(const uint8_t *from, unsigned bytes)
{
    uint64_t n = 0;

    while (bytes--)
        n = n << 8 | from[bytes];
    return n;
}

#endif
