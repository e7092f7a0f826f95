/* SPDX-License-Identifier: BSD-3-Clause */
#include <zstd.h>

#include "compress.h"

/* The fastest of the usual levels: a recorder shares the machine with the robot. */
#define ZSTD_LEVEL 1

static void *zstd_new(void)
{
    return ZSTD_createCCtx();
}

static void zstd_free(void *compressor)
{
    ZSTD_freeCCtx(compressor);
}

static bool zstd_compress(void *compressor, const void *data, size_t size, struct mcap_buffer *to)
{
    size_t n;

    to->size = 0;
    if (!mcap_buffer_reserve(to, ZSTD_compressBound(size)))
        return false;
    n = ZSTD_compressCCtx(compressor, to->at, to->room, data, size, ZSTD_LEVEL);
    to->size = ZSTD_isError(n) ? 0 : n;
    return !ZSTD_isError(n);
}

/* Until the frame ends. A frame must not be followed by anything. */
static const char *zstd_run(ZSTD_DStream *d, const uint8_t *data, size_t size, size_t expected,
                            struct mcap_buffer *to)
{
    ZSTD_inBuffer in = {.src = data, .size = size};
    size_t hint = 1;

    while (hint) {
        size_t before = in.pos;
        ZSTD_outBuffer out = {.dst = to->at, .pos = to->size};

        if (to->size == to->room && to->size < expected && !mcap_buffer_expand(to, size, expected))
            return "there is no memory for it";
        out.dst = to->at;
        out.size = to->room < expected ? to->room : expected;
        hint = ZSTD_decompressStream(d, &out, &in);
        if (ZSTD_isError(hint))
            return "it is damaged";
        if (in.pos == before && out.pos == to->size && (out.pos == expected || out.pos < out.size))
            break;
        to->size = out.pos;
    }
    return hint || in.pos != size || to->size != expected ? "it has another size than it says"
                                                          : NULL;
}

static const char *zstd_decompress(const void *data, size_t size, size_t expected,
                                   struct mcap_buffer *to)
{
    ZSTD_DStream *d = ZSTD_createDStream();
    const char *why = "there is no memory for it";

    if (d && mcap_buffer_expand(to, size, expected))
        why = zstd_run(d, data, size, expected, to);
    ZSTD_freeDStream(d);
    return why;
}

const struct mcap_method mcap_zstd = {.available = true,
                                      .compressor = zstd_new,
                                      .compressor_free = zstd_free,
                                      .compress = zstd_compress,
                                      .decompress = zstd_decompress};
