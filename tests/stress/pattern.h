/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pattern.h - messages whose every byte follows from writer, counter and size
 *
 * A message begins with its stamp, counter << 3 | writer, as much of it as
 * fits, scrambled with the size. The bytes that follow are computed from stamp
 * and size. So a single byte of another message, or a wrong length, is detected.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PATTERN_WRITERS 8u
#define PATTERN_WRITER_BITS 3u

static inline uint64_t pattern_mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15ull;
    return x ^ (x >> 29);
}

/* The word at the i-th 8 bytes. Word 0 is the stamp. */
static inline uint64_t pattern_word(uint64_t stamp, size_t size, size_t i)
{
    if (i == 0)
        return stamp ^ pattern_mix(size);
    return pattern_mix(stamp + pattern_mix(size + i));
}

static inline void pattern_fill(unsigned char *buf, size_t size, unsigned writer, uint64_t counter)
{
    uint64_t stamp = counter << PATTERN_WRITER_BITS | writer;
    size_t i;

    for (i = 0; i < size; i += 8) {
        uint64_t w = pattern_word(stamp, size, i / 8);

        memcpy(buf + i, &w, size - i < 8 ? size - i : 8);
    }
}

/* How many low bits of the counter a message of this size carries. */
static inline unsigned pattern_bits(size_t size)
{
    return (unsigned)(size < 8 ? size * 8 : 64) - PATTERN_WRITER_BITS;
}

/* Read writer and counter, and check every byte. Machines are little-endian here. */
static inline bool pattern_check(const unsigned char *buf, size_t size, unsigned *writer,
                                 uint64_t *counter)
{
    uint64_t stamp = 0, scramble = pattern_mix(size);
    size_t head = size < 8 ? size : 8, i;

    memcpy(&stamp, buf, head);
    if (head < 8)
        scramble &= (1ull << 8 * head) - 1;
    stamp ^= scramble;
    *writer = (unsigned)(stamp & (PATTERN_WRITERS - 1));
    *counter = stamp >> PATTERN_WRITER_BITS;
    for (i = 8; i < size; i += 8) {
        uint64_t w = pattern_word(stamp, size, i / 8);

        if (memcmp(buf + i, &w, size - i < 8 ? size - i : 8) != 0)
            return false;
    }
    return true;
}

#endif
