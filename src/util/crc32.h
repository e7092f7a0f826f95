/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32.h - by zlib, or in a build without it by crc32.c */
#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of gzip and PNG. Begin with 0; feed pieces by passing the result on. */
uint32_t crc32_of(uint32_t crc, const void *data, size_t n);

/* As crc32_of, for data whose own checksum is known: with zlib this takes a microsecond, whatever the size. */
uint32_t crc32_join(uint32_t crc, const void *data, size_t n, uint32_t known);

#endif
