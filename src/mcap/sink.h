/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sink.h - the end of a file that grows
 *
 * Bytes are written in units, such as a chunk with its indexes. A unit that could not be written whole is
 * removed again, unless the file is a pipe.
 */
#ifndef MCAP_SINK_H
#define MCAP_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcap.h"

struct mcap_sink {
    int fd;
    uint64_t offset; /* bytes that the file has */
    uint32_t crc;    /* of all of them */
    bool broken;     /* a part of a unit could not be removed */
    mcap_patience *patience;
    void *context;
};

struct mcap_part {
    const void *data;
    size_t size;
    const uint32_t *crc; /* its own checksum; NULL: not known */
};

#define MCAP_PARTS_MAX 12

/* False: see errno; nothing was added. */
bool mcap_sink_write(struct mcap_sink *s, const struct mcap_part *parts, size_t count);

#endif
