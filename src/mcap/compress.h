/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compress.h - the records of a chunk, compressed
 *
 * compress_lz4.c and compress_zstd.c use the libraries; in a build without one, compress_no_lz4.c or
 * compress_no_zstd.c is in its place.
 */
#ifndef MCAP_COMPRESS_H
#define MCAP_COMPRESS_H

#include "buffer.h"
#include "mcap.h"

/* Its name in a file: "", "lz4" or "zstd". */
const char *mcap_compression_text(enum mcap_compression compression);

struct mcap_method {
    bool available;
    /* Compress all into the buffer, from its beginning. NULL: no memory. */
    void *(*compressor)(void);
    void (*compressor_free)(void *compressor);
    bool (*compress)(void *compressor, const void *data, size_t size, struct mcap_buffer *to);
    /* Bytes that are not trusted, which must give `expected` bytes. Otherwise a reason. */
    const char *(*decompress)(const void *data, size_t size, size_t expected,
                              struct mcap_buffer *to);
};

extern const struct mcap_method mcap_lz4, mcap_zstd;

/* NULL: it is MCAP_NONE. */
const struct mcap_method *mcap_method(enum mcap_compression compression);

/* Undo the compression of this name. NULL: done; otherwise a reason. */
const char *mcap_decompress(struct mcap_text name, const void *data, size_t size, size_t expected,
                            struct mcap_buffer *to);

#endif
