/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gzip.h - compression of a stream, step by step
 *
 * gzip_zlib.c does it with zlib; gzip_none.c stands in where there is none and
 * creates nothing.
 */
#ifndef TOOLS_GZIP_H
#define TOOLS_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gzip;
struct gunzip;

enum gzip_flush {
    GZIP_MORE, /* more is to come */
    GZIP_SYNC, /* all bytes so far shall be readable */
    GZIP_END   /* that was all */
};

enum gunzip_result { GUNZIP_OK, GUNZIP_END, GUNZIP_BAD };

bool gzip_available(void);

struct gzip *gzip_create(void);
void gzip_destroy(struct gzip *z);

/* Compress some of the input into the room. True: call again with new room. */
bool gzip_step(struct gzip *z, const unsigned char **in, size_t *in_len, unsigned char *out,
               size_t *out_len, enum gzip_flush flush);

struct gunzip *gunzip_create(void);
void gunzip_destroy(struct gunzip *z);

/* Both lengths tell afterwards how much was used. */
enum gunzip_result gunzip_step(struct gunzip *z, const unsigned char *in, size_t *in_len,
                               unsigned char *out, size_t *out_len);

#endif
