/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scalar.c - scalars between memory and wire, many of one kind at a time
 *
 * The loops are the inner loops of all encoding. They are plain, so that
 * compilers turn them into vector instructions; gcc does so only with -O3.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "scalar.h"

#include <endian.h>
#include <string.h>

static void swap32(uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
    uint32_t v;
    size_t i;

    for (i = 0; i < n; i++) {
        memcpy(&v, from + 4 * i, 4);
        v = htobe32(v);
        memcpy(to + 4 * i, &v, 4);
    }
}

static void swap64(uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
    uint64_t v;
    size_t i;

    for (i = 0; i < n; i++) {
        memcpy(&v, from + 8 * i, 8);
        v = htobe64(v);
        memcpy(to + 8 * i, &v, 8);
    }
}

/* Short integers are widened to 32 bits on the wire; decoding drops the upper bits. */
#define WIDEN(name, type, wide)                                                                    \
    static void put_##name(uint8_t *restrict to, const uint8_t *restrict from, size_t n)           \
    {                                                                                              \
        size_t i;                                                                                  \
                                                                                                   \
        for (i = 0; i < n; i++) {                                                                  \
            type v;                                                                                \
            uint32_t w;                                                                            \
                                                                                                   \
            memcpy(&v, from + sizeof(v) * i, sizeof(v));                                           \
            w = htobe32((uint32_t)(wide)v);                                                        \
            memcpy(to + 4 * i, &w, 4);                                                             \
        }                                                                                          \
    }

WIDEN(int8, int8_t, int32_t)
WIDEN(uint8, uint8_t, uint32_t)
WIDEN(int16, int16_t, int32_t)
WIDEN(uint16, uint16_t, uint32_t)

static void get_8(uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        to[i] = from[4 * i + 3];
}

static void get_16(uint8_t *restrict to, const uint8_t *restrict from, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        uint16_t v = (uint16_t)(from[4 * i + 2] << 8 | from[4 * i + 3]);

        memcpy(to + 2 * i, &v, 2);
    }
}

void xdr_put_scalars(unsigned kind, uint8_t *to, const void *from, size_t n)
{
    switch (kind) {
    case ACH_KIND_INT8:
        put_int8(to, from, n);
        break;
    case ACH_KIND_UINT8:
    case ACH_KIND_CHAR:
    case ACH_KIND_BOOL:
        put_uint8(to, from, n);
        break;
    case ACH_KIND_INT16:
        put_int16(to, from, n);
        break;
    case ACH_KIND_UINT16:
        put_uint16(to, from, n);
        break;
    case ACH_KIND_INT32:
    case ACH_KIND_UINT32:
    case ACH_KIND_FLOAT:
        swap32(to, from, n);
        break;
    default:
        swap64(to, from, n);
        break;
    }
}

void xdr_get_scalars(unsigned kind, void *to, const uint8_t *from, size_t n)
{
    switch (xdr_scalar_size(kind)) {
    case 1:
        get_8(to, from, n);
        break;
    case 2:
        get_16(to, from, n);
        break;
    case 4:
        swap32(to, from, n);
        break;
    default:
        swap64(to, from, n);
        break;
    }
}
