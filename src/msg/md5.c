/* SPDX-License-Identifier: BSD-3-Clause */
#include "md5.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64u

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[BLOCK] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

static const uint8_t shifts[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/* Which word of the block a step uses, and how it mixes b, c and d. */
static uint32_t md5_mix(unsigned step, const uint32_t s[4], unsigned *word)
{
    uint32_t b = s[1], c = s[2], d = s[3];

    switch (step / 16) {
    case 0:
        *word = step;
        return (b & c) | (~b & d);
    case 1:
        *word = (5 * step + 1) % 16;
        return (d & b) | (~d & c);
    case 2:
        *word = (3 * step + 5) % 16;
        return b ^ c ^ d;
    default:
        *word = (7 * step) % 16;
        return c ^ (b | ~d);
    }
}

static uint32_t md5_word(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void md5_block(uint32_t sum[4], const uint8_t *block)
{
    uint32_t s[4] = {sum[0], sum[1], sum[2], sum[3]};
    unsigned i, word;

    for (i = 0; i < BLOCK; i++) {
        uint32_t x = md5_mix(i, s, &word) + s[0] + sines[i];
        unsigned shift = shifts[i / 16][i % 4];

        x += md5_word(block + 4 * (size_t)word);
        s[0] = s[3];
        s[3] = s[2];
        s[2] = s[1];
        s[1] += x << shift | x >> (32 - shift);
    }
    for (i = 0; i < 4; i++)
        sum[i] += s[i];
}

/* The last block or two: what is left, a bit, zeros, and the length in bits. */
static void md5_end(uint32_t sum[4], const uint8_t *rest, size_t left, uint64_t bits)
{
    uint8_t end[2 * BLOCK] = {0};
    size_t size = left < BLOCK - 8 ? BLOCK : sizeof(end);
    unsigned i;

    if (left)
        memcpy(end, rest, left);
    end[left] = 0x80;
    for (i = 0; i < 8; i++)
        end[size - 8 + i] = (uint8_t)(bits >> 8 * i);
    md5_block(sum, end);
    if (size > BLOCK)
        md5_block(sum, end + BLOCK);
}

void msg_md5(const void *bytes, size_t n, char text[MSG_MD5_TEXT])
{
    uint32_t sum[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const uint8_t *at = bytes;
    size_t left = n;
    unsigned i;

    for (; left >= BLOCK; left -= BLOCK, at += BLOCK)
        md5_block(sum, at);
    md5_end(sum, at, left, 8 * (uint64_t)n);
    for (i = 0; i < 16; i++)
        snprintf(text + 2 * (size_t)i, 3, "%02x", sum[i / 4] >> 8 * (i % 4) & 0xff);
}
