/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gzip.h - compression of a stream, step by step
 *
 * gzip_zlib.c uses zlib; gzip_none.c replaces it in builds without zlib: its
 * create functions return NULL.
 */
#ifndef TOOLS_GZIP_H
#define TOOLS_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gzip;
struct gunzip;

enum gzip_flush {
    GZIP_MORE, /* more input follows */
    GZIP_SYNC, /* make all input so far readable */
    GZIP_END   /* end of input */
};

enum gunzip_result { GUNZIP_OK, GUNZIP_END, GUNZIP_BAD };

bool gzip_available(void);

struct gzip *gzip_create(void);
void gzip_destroy(struct gzip *z);

/* Compress some of the input into out. True: call again with a new output buffer. */
bool gzip_step(struct gzip *z, const unsigned char **in, size_t *in_len, unsigned char *out,
               size_t *out_len, enum gzip_flush flush);

struct gunzip *gunzip_create(void);
void gunzip_destroy(struct gunzip *z);

/* On return both lengths are the number of bytes used. */
enum gunzip_result gunzip_step(struct gunzip *z, const unsigned char *in, size_t *in_len,
                               unsigned char *out, size_t *out_len);

#endif
