/* SPDX-License-Identifier: BSD-3-Clause */
#include <zlib.h>

#include "crc32.h"

uint32_t crc32_of(uint32_t crc, const void *data, size_t n)
{
    return n ? (uint32_t)crc32_z(crc, data, n) : crc;
}

uint32_t crc32_join(uint32_t crc, const void *data, size_t n, uint32_t known)
{
    (void)data;
    return (uint32_t)crc32_combine(crc, known, (z_off_t)n);
}
