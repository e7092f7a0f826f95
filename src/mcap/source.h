/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - a file or a pipe that is read from its beginning to its end; a file anywhere, too
 *
 * No length that a file tells is believed: memory grows with the bytes that came.
 */
#ifndef MCAP_SOURCE_H
#define MCAP_SOURCE_H

#include "buffer.h"

enum mcap_read {
    MCAP_READ,
    MCAP_READ_END,   /* the file ends before */
    MCAP_READ_ERROR, /* see errno */
};

struct mcap_source {
    int fd;
    bool pipe;
    uint64_t size;   /* of a file; of a pipe UINT64_MAX */
    uint64_t offset; /* of the next byte */
    uint32_t crc;    /* of all bytes from the beginning, if none was skipped */
    uint8_t *ahead;  /* bytes that were read already */
    size_t ahead_at, ahead_end;
};

bool mcap_source_init(struct mcap_source *s, int fd);
void mcap_source_free(struct mcap_source *s);

/* The next bytes. */
enum mcap_read mcap_source_read(struct mcap_source *s, void *to, size_t size);

/* No record that is read into memory is larger. */
#define MCAP_RECORD_MAX (((size_t)1 << 31) + 65536)

/* The next bytes, as the whole content of a buffer. */
enum mcap_read mcap_source_fill(struct mcap_source *s, struct mcap_buffer *b, uint64_t size);

/* Read over some bytes. */
enum mcap_read mcap_source_pass(struct mcap_source *s, uint64_t size);

/* Continue elsewhere in a file; only at 0 the checksum is that of the file. */
void mcap_source_seek(struct mcap_source *s, uint64_t offset);

/* Bytes at any place of a file, without moving. */
enum mcap_read mcap_source_at(const struct mcap_source *s, uint64_t offset, void *to, size_t size);

#endif
