/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32.c - for builds without zlib */
#include "crc32.h"

#include <pthread.h>

#define POLYNOMIAL 0xedb88320u
#define SLICES 8

/* table[k][b]: the effect of byte b followed by k zero bytes. */
static uint32_t table[SLICES][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void crc32_fill(void)
{
    uint32_t b, c;
    int k;

    for (b = 0; b < 256; b++) {
        for (c = b, k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
        table[0][b] = c;
    }
    for (k = 1; k < SLICES; k++)
        for (b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

/* Eight bytes at once: the lookups do not depend on each other. */
static uint32_t crc32_eight(uint32_t c, const unsigned char *p)
{
    return table[7][(c ^ p[0]) & 0xff] ^ table[6][(c >> 8 ^ p[1]) & 0xff] ^
           table[5][(c >> 16 ^ p[2]) & 0xff] ^ table[4][(c >> 24 ^ p[3]) & 0xff] ^ table[3][p[4]] ^
           table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
}

uint32_t crc32_of(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;

    pthread_once(&once, crc32_fill);
    crc = ~crc;
    for (; n >= SLICES; n -= SLICES, p += SLICES)
        crc = crc32_eight(crc, p);
    for (; n > 0; n--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
    return ~crc;
}

uint32_t crc32_join(uint32_t crc, const void *data, size_t n, uint32_t known)
{
    (void)known;
    return crc32_of(crc, data, n);
}
