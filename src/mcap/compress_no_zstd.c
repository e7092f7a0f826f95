/* SPDX-License-Identifier: BSD-3-Clause */
#include "compress.h"

static const char *no_zstd_decompress(const void *data, size_t size, size_t expected,
                                      struct mcap_buffer *to)
{
    (void)data;
    (void)size;
    (void)expected;
    (void)to;
    return "it is compressed with zstd, and this build has no zstd: install libzstd-dev and build "
           "again";
}

const struct mcap_method mcap_zstd = {.decompress = no_zstd_decompress};
