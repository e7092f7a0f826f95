/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "gzip.h"

/* windowBits of zlib: the largest window (15), gzip format (+16). */
#define GZIP_WINDOW (15 + 16)
#define MEMORY_LEVEL 8

struct gzip {
    z_stream stream;
};

struct gunzip {
    z_stream stream;
};

bool gzip_available(void)
{
    return true;
}

struct gzip *gzip_create(void)
{
    struct gzip *z = calloc(1, sizeof(*z));

    if (z && deflateInit2(&z->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                          Z_DEFAULT_STRATEGY) != Z_OK) {
        free(z);
        return NULL;
    }
    return z;
}

void gzip_destroy(struct gzip *z)
{
    if (z)
        deflateEnd(&z->stream);
    free(z);
}

static uInt clamp(size_t n)
{
    return n > INT_MAX ? INT_MAX : (uInt)n;
}

bool gzip_step(struct gzip *z, const unsigned char **in, size_t *in_len, unsigned char *out,
               size_t *out_len, enum gzip_flush flush)
{
    static const int modes[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
    uInt given = clamp(*in_len), room = clamp(*out_len);
    int r;

    z->stream.next_in = (unsigned char *)(size_t)*in;
    z->stream.avail_in = given;
    z->stream.next_out = out;
    z->stream.avail_out = room;
    r = deflate(&z->stream, given == *in_len ? modes[flush] : Z_NO_FLUSH);
    *in = z->stream.next_in;
    *in_len -= given - z->stream.avail_in;
    *out_len = room - z->stream.avail_out;
    if (flush == GZIP_END)
        return r != Z_STREAM_END;
    return *in_len > 0 || z->stream.avail_out == 0;
}

struct gunzip *gunzip_create(void)
{
    struct gunzip *z = calloc(1, sizeof(*z));

    if (z && inflateInit2(&z->stream, GZIP_WINDOW) != Z_OK) {
        free(z);
        return NULL;
    }
    return z;
}

void gunzip_destroy(struct gunzip *z)
{
    if (z)
        inflateEnd(&z->stream);
    free(z);
}

enum gunzip_result gunzip_step(struct gunzip *z, const unsigned char *in, size_t *in_len,
                               unsigned char *out, size_t *out_len)
{
    uInt given = clamp(*in_len), room = clamp(*out_len);
    int r;

    z->stream.next_in = (unsigned char *)(size_t)in;
    z->stream.avail_in = given;
    z->stream.next_out = out;
    z->stream.avail_out = room;
    r = inflate(&z->stream, Z_NO_FLUSH);
    *in_len = given - z->stream.avail_in;
    *out_len = room - z->stream.avail_out;
    if (r == Z_STREAM_END)
        return GUNZIP_END;
    return r == Z_OK || r == Z_BUF_ERROR ? GUNZIP_OK : GUNZIP_BAD;
}
