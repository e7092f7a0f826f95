/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CRC32_H
#define TOOLS_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of gzip and PNG. Begin with 0; feed pieces by passing the result on. */
uint32_t crc32_of(uint32_t crc, const void *data, size_t n);

#endif
