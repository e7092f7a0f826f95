/* SPDX-License-Identifier: BSD-3-Clause */
#include "number.h"

#include <ach.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint8_t size;
    bool is_signed;
} kinds[] = {
    [ACH_KIND_INT8] = {1, true},    [ACH_KIND_UINT8] = {1, false},  [ACH_KIND_CHAR] = {1, false},
    [ACH_KIND_INT16] = {2, true},   [ACH_KIND_UINT16] = {2, false}, [ACH_KIND_INT32] = {4, true},
    [ACH_KIND_UINT32] = {4, false}, [ACH_KIND_INT64] = {8, true},   [ACH_KIND_UINT64] = {8, false},
    [ACH_KIND_FLOAT] = {4, true},   [ACH_KIND_DOUBLE] = {8, true},
};

size_t drv_number_size(uint8_t kind)
{
    return kinds[kind].size;
}

static bool number_whole(uint8_t kind)
{
    return kind != ACH_KIND_FLOAT && kind != ACH_KIND_DOUBLE;
}

#define LOAD(type)                                                                                 \
    ({                                                                                             \
        type loaded_;                                                                              \
                                                                                                   \
        memcpy(&loaded_, at, sizeof(loaded_));                                                     \
        loaded_;                                                                                   \
    })

static double load_real(uint8_t kind, const void *at)
{
    return kind == ACH_KIND_FLOAT ? (double)LOAD(float) : LOAD(double);
}

/* A uint64 is returned with the same bits, as an int64. */
static int64_t load_whole(uint8_t kind, const void *at)
{
    switch (kind) {
    case ACH_KIND_INT8:
        return LOAD(int8_t);
    case ACH_KIND_UINT8:
    case ACH_KIND_CHAR:
        return LOAD(uint8_t);
    case ACH_KIND_INT16:
        return LOAD(int16_t);
    case ACH_KIND_UINT16:
        return LOAD(uint16_t);
    case ACH_KIND_INT32:
        return LOAD(int32_t);
    case ACH_KIND_UINT32:
        return LOAD(uint32_t);
    default:
        return LOAD(int64_t);
    }
}

static void write_real(struct drv_text *t, double v, int digits, const struct drv_form *f)
{
    if (f->precision < 0)
        drv_text_format(t, " %.*g", digits, v);
    else if (f->plus && f->zero)
        drv_text_format(t, " %+0*.*f", f->width, f->precision, v);
    else if (f->plus)
        drv_text_format(t, " %+*.*f", f->width, f->precision, v);
    else if (f->zero)
        drv_text_format(t, " %0*.*f", f->width, f->precision, v);
    else
        drv_text_format(t, " %*.*f", f->width, f->precision, v);
}

static void write_whole(struct drv_text *t, uint8_t kind, int64_t v, const struct drv_form *f)
{
    if (f->conversion == 'X')
        drv_text_format(t, " %" PRIX64, (uint64_t)v);
    else if (!kinds[kind].is_signed && f->zero)
        drv_text_format(t, " %0*" PRIu64, f->width, (uint64_t)v);
    else if (!kinds[kind].is_signed)
        drv_text_format(t, " %*" PRIu64, f->width, (uint64_t)v);
    else if (f->plus)
        drv_text_format(t, " %+*" PRId64, f->width, v);
    else if (f->zero)
        drv_text_format(t, " %0*" PRId64, f->width, v);
    else
        drv_text_format(t, " %*" PRId64, f->width, v);
}

void drv_number_write(struct drv_text *t, uint8_t kind, const void *at, double scale,
                      const struct drv_form *form)
{
    static const double zero;

    if (!at)
        at = &zero;
    if (!number_whole(kind))
        write_real(t, load_real(kind, at) / scale, kind == ACH_KIND_FLOAT ? 9 : 17, form);
    else if (form->conversion == 'f')
        write_real(t, (double)load_whole(kind, at) / scale, 17, form);
    else
        write_whole(t, kind, load_whole(kind, at), form);
}

static ach_status_t wrong(const char *word, const char *why)
{
    return ach_errstr_set(ACH_EINVAL, "\"%.40s\" %s", word, why);
}

static ach_status_t parse_real(const char *word, double *v)
{
    char *end;

    *v = strtod(word, &end);
    return end != word && !*end ? ACH_OK : wrong(word, "is not a number");
}

/* Fails if v does not fit. A uint32 may be negative: it may have been written as signed. */
static ach_status_t store_whole(uint8_t kind, void *at, int64_t v, const char *word)
{
    unsigned bits = 8u * kinds[kind].size;
    int64_t low, high;

    if (bits == 64) {
        memcpy(at, &v, sizeof(v));
        return ACH_OK;
    }
    high = (INT64_C(1) << (kinds[kind].is_signed ? bits - 1 : bits)) - 1;
    low = kinds[kind].is_signed || bits == 32 ? -(INT64_C(1) << (bits - 1)) : 0;
    if (v < low || v > high)
        return wrong(word, "is too large for its field");
    if (bits == 8)
        *(uint8_t *)at = (uint8_t)v;
    else if (bits == 16)
        memcpy(at, &(uint16_t){(uint16_t)v}, 2);
    else
        memcpy(at, &(uint32_t){(uint32_t)v}, 4);
    return ACH_OK;
}

static ach_status_t read_scaled(uint8_t kind, void *at, double scale, const char *word)
{
    double v;

    if (parse_real(word, &v) != ACH_OK)
        return ACH_EINVAL;
    v = round(v * scale);
    if (!(v >= -9e15 && v <= 9e15))
        return wrong(word, "is too large for its field");
    return store_whole(kind, at, (int64_t)v, word);
}

static ach_status_t read_whole(uint8_t kind, void *at, const char *word, int base)
{
    char *end;
    int64_t v;

    errno = 0;
    if (kind == ACH_KIND_UINT64 && *word != '-')
        v = (int64_t)strtoull(word, &end, base);
    else
        v = strtoll(word, &end, base);
    if (end == word || *end)
        return wrong(word, "is not a whole number");
    return errno ? wrong(word, "is too large for its field") : store_whole(kind, at, v, word);
}

ach_status_t drv_number_read(struct drv_words *w, uint8_t kind, void *at, double scale, int base)
{
    const char *word = drv_words_next(w);
    double v;

    if (!word)
        return ach_errstr_set(ACH_EINVAL, "the line ends where a number is expected");
    if (number_whole(kind))
        return scale == 1 ? read_whole(kind, at, word, base) : read_scaled(kind, at, scale, word);
    if (parse_real(word, &v) != ACH_OK)
        return ACH_EINVAL;
    v *= scale;
    if (kind == ACH_KIND_FLOAT)
        memcpy(at, &(float){(float)v}, sizeof(float));
    else
        memcpy(at, &v, sizeof(v));
    return ACH_OK;
}
