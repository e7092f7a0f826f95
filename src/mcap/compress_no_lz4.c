/* SPDX-License-Identifier: BSD-3-Clause */
#include "compress.h"

static const char *no_lz4_decompress(const void *data, size_t size, size_t expected,
                                     struct mcap_buffer *to)
{
    (void)data;
    (void)size;
    (void)expected;
    (void)to;
    return "it is compressed with lz4, and this build has no lz4: install liblz4-dev and build "
           "again";
}

const struct mcap_method mcap_lz4 = {.decompress = no_lz4_decompress};
