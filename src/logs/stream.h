/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.h - bytes to and from a file, compressed or not
 *
 * A sink buffers writes and passes them on in large pieces. A source detects
 * whether the file is compressed. Neither owns the
 * descriptor.
 */
#ifndef TOOLS_STREAM_H
#define TOOLS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "gzip.h"

#define STREAM_BUFFER 65536

struct sink {
    int fd;
    struct gzip *gzip;
    size_t used;
    unsigned char buf[STREAM_BUFFER];
};

/* False, with errno: no memory, or ENOTSUP for compression without zlib. */
bool sink_init(struct sink *s, int fd, bool compress);

/* False: a write failed, see errno. */
bool sink_write(struct sink *s, const void *data, size_t n);

/* Write the buffer out: everything written so far can be read from the file. */
bool sink_flush(struct sink *s);

/* Write the rest and free the sink's memory. */
bool sink_finish(struct sink *s);

struct source {
    int fd;
    struct gunzip *gunzip;
    bool begun;
    bool ended;
    size_t pos;
    size_t len;
    unsigned char buf[STREAM_BUFFER];
};

#define SOURCE_FAILED (-1) /* a read failed, see errno */
#define SOURCE_BAD (-2)    /* the compressed data is damaged */

void source_init(struct source *s, int fd);

/* Read n bytes, fewer only at the end of the file. Or SOURCE_FAILED or SOURCE_BAD. */
ssize_t source_read(struct source *s, void *data, size_t n);

void source_finish(struct source *s);

#endif
