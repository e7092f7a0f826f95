/* SPDX-License-Identifier: BSD-3-Clause */
/* bytes.h - numbers of a file, little-endian at any address */
#ifndef MCAP_BYTES_H
#define MCAP_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint8_t *mcap_store16(uint8_t *at, uint16_t value)
{
    value = htole16(value);
    return (uint8_t *)memcpy(at, &value, sizeof(value)) + sizeof(value);
}

static inline uint8_t *mcap_store32(uint8_t *at, uint32_t value)
{
    value = htole32(value);
    return (uint8_t *)memcpy(at, &value, sizeof(value)) + sizeof(value);
}

static inline uint8_t *mcap_store64(uint8_t *at, uint64_t value)
{
    value = htole64(value);
    return (uint8_t *)memcpy(at, &value, sizeof(value)) + sizeof(value);
}

static inline uint16_t mcap_load16(const uint8_t *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof(value));
    return le16toh(value);
}

static inline uint32_t mcap_load32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return le32toh(value);
}

static inline uint64_t mcap_load64(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof(value));
    return le64toh(value);
}

#endif
