/* SPDX-License-Identifier: BSD-3-Clause */
/* number.h - little-endian numbers of n bytes */
#ifndef RELAY_NUMBER_H
#define RELAY_NUMBER_H

#include <stdint.h>

static inline void relay_number_store(unsigned char *to, uint64_t value, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static inline uint64_t relay_number_load(const unsigned char *from, unsigned n)
{
    uint64_t value = 0;

    while (n--)
        value = value << 8 | from[n];
    return value;
}

#endif
