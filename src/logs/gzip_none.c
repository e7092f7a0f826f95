/* SPDX-License-Identifier: BSD-3-Clause */
#include "gzip.h"

bool gzip_available(void)
{
    return false;
}

struct gzip *gzip_create(void)
{
    return NULL;
}

void gzip_destroy(struct gzip *z)
{
    (void)z;
}

bool gzip_step(struct gzip *z, const unsigned char **in, size_t *in_len, unsigned char *out,
               size_t *out_len, enum gzip_flush flush)
{
    (void)z;
    (void)in;
    (void)out;
    (void)flush;
    *in_len = 0;
    *out_len = 0;
    return false;
}

struct gunzip *gunzip_create(void)
{
    return NULL;
}

void gunzip_destroy(struct gunzip *z)
{
    (void)z;
}

enum gunzip_result gunzip_step(struct gunzip *z, const unsigned char *in, size_t *in_len,
                               unsigned char *out, size_t *out_len)
{
    (void)z;
    (void)in;
    (void)out;
    *in_len = 0;
    *out_len = 0;
    return GUNZIP_BAD;
}
