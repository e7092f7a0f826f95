/* SPDX-License-Identifier: BSD-3-Clause */
#include <lz4frame.h>
#include <stdlib.h>

#include "compress.h"

static void *lz4_new(void)
{
    return malloc(1); /* the library keeps its state on the stack */
}

static bool lz4_compress(void *compressor, const void *data, size_t size, struct mcap_buffer *to)
{
    LZ4F_preferences_t p = {.frameInfo = {.blockSizeID = LZ4F_max1MB,
                                          .blockMode = LZ4F_blockLinked,
                                          .contentSize = size}};
    size_t n;

    (void)compressor;
    to->size = 0;
    if (!mcap_buffer_reserve(to, LZ4F_compressFrameBound(size, &p)))
        return false;
    n = LZ4F_compressFrame(to->at, to->room, data, size, &p);
    to->size = LZ4F_isError(n) ? 0 : n;
    return !LZ4F_isError(n);
}

/* Until the frame ends. A frame must not be followed by anything. */
static const char *lz4_run(LZ4F_dctx *d, const uint8_t *data, size_t size, size_t expected,
                           struct mcap_buffer *to)
{
    size_t hint = 1, in = 0;

    while (hint && in < size) {
        size_t used = size - in, out;

        if (to->size == to->room && to->size < expected && !mcap_buffer_expand(to, size, expected))
            return "there is no memory for it";
        out = (to->room < expected ? to->room : expected) - to->size;
        hint = LZ4F_decompress(d, to->at + to->size, &out, data + in, &used, NULL);
        if (LZ4F_isError(hint))
            return "it is damaged";
        if (!used && !out && (to->size == expected || to->size < to->room))
            break;
        in += used;
        to->size += out;
    }
    return hint || in != size || to->size != expected ? "it has another size than it says" : NULL;
}

static const char *lz4_decompress(const void *data, size_t size, size_t expected,
                                  struct mcap_buffer *to)
{
    LZ4F_dctx *d;
    const char *why;

    if (!mcap_buffer_expand(to, size, expected) ||
        LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)))
        return "there is no memory for it";
    why = lz4_run(d, data, size, expected, to);
    LZ4F_freeDecompressionContext(d);
    return why;
}

const struct mcap_method mcap_lz4 = {.available = true,
                                     .compressor = lz4_new,
                                     .compressor_free = free,
                                     .compress = lz4_compress,
                                     .decompress = lz4_decompress};
