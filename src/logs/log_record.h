/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log_record.h - the bytes in front of each message of a log
 *
 * Little-endian on every machine: magic, checksum of the rest, time, sequence,
 * missed, size, checksum of the message, zero.
 */
#ifndef TOOLS_LOG_RECORD_H
#define TOOLS_LOG_RECORD_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "crc32.h"
#include "log.h"

struct log_record {
    uint32_t magic;
    uint32_t crc;
    uint64_t time_ns;
    uint64_t seq;
    uint64_t missed;
    uint64_t size;
    uint32_t data_crc;
    uint32_t zero;
};

_Static_assert(sizeof(struct log_record) == LOG_RECORD_SIZE, "a record is packed");

#define LOG_RECORD_CRC_FROM 8u

static inline uint32_t log_record_crc(const struct log_record *raw)
{
    return crc32_of(0, (const char *)raw + LOG_RECORD_CRC_FROM, sizeof(*raw) - LOG_RECORD_CRC_FROM);
}

#endif
