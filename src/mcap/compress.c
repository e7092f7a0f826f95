/* SPDX-License-Identifier: BSD-3-Clause */
#include "compress.h"

#include <string.h>

static const char *const compress_names[] = {
    [MCAP_NONE] = "none", [MCAP_LZ4] = "lz4", [MCAP_ZSTD] = "zstd"};

const struct mcap_method *mcap_method(enum mcap_compression compression)
{
    switch (compression) {
    case MCAP_LZ4:
        return &mcap_lz4;
    case MCAP_ZSTD:
        return &mcap_zstd;
    default:
        return NULL;
    }
}

const char *mcap_compression_text(enum mcap_compression compression)
{
    return compression == MCAP_NONE ? "" : compress_names[compression];
}

bool mcap_compression_parse(const char *name, enum mcap_compression *compression)
{
    enum mcap_compression c;

    for (c = MCAP_NONE; c <= MCAP_ZSTD; c++) {
        if (strcmp(name, compress_names[c]) == 0) {
            *compression = c;
            return c == MCAP_NONE || mcap_method(c)->available;
        }
    }
    return false;
}

static bool compress_is(struct mcap_text name, const char *text)
{
    return name.size == strlen(text) && memcmp(name.at, text, name.size) == 0;
}

const char *mcap_decompress(struct mcap_text name, const void *data, size_t size, size_t expected,
                            struct mcap_buffer *to)
{
    to->size = 0;
    to->failed = false;
    if (compress_is(name, "lz4"))
        return mcap_lz4.decompress(data, size, expected, to);
    if (compress_is(name, "zstd"))
        return mcap_zstd.decompress(data, size, expected, to);
    return "its compression is neither lz4 nor zstd";
}
