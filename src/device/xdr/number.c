/* SPDX-License-Identifier: BSD-3-Clause */
/* number.c - scalars as text, and back */
#include "scalar.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../util/json_infinity.h"

static locale_t plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t xdr_locale_enter(void)
{
    pthread_once(&once, make_locale);
    return uselocale(plain);
}

void xdr_locale_leave(locale_t before)
{
    uselocale(before);
}

/* @exact: the fewest digits that read back as the same number. */
static void print_float(float v, bool exact, FILE *to)
{
    char text[48];
    int digits;

    for (digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, (double)v);
        if (!exact || strtof(text, NULL) == v)
            break;
    }
    fputs(text, to);
}

static void print_double(double v, bool exact, FILE *to)
{
    char text[48];
    int digits;

    for (digits = exact ? 15 : 10; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, v);
        if (!exact || strtod(text, NULL) == v)
            break;
    }
    fputs(text, to);
}

/* JSON has neither NaN nor infinities. */
static void print_real(unsigned kind, double v, bool exact, FILE *to)
{
    if (isnan(v))
        fputs(exact ? "null" : "nan", to);
    else if (exact && isinf(v))
        fputs(v < 0 ? "-1e999" : "1e999", to);
    else if (kind == ACH_KIND_FLOAT)
        print_float((float)v, exact, to);
    else
        print_double(v, exact, to);
}

static int64_t load_signed(unsigned kind, const void *at)
{
    int64_t v64;
    int32_t v32;
    int16_t v16;

    switch (kind) {
    case ACH_KIND_INT8:
        return *(const int8_t *)at;
    case ACH_KIND_INT16:
        memcpy(&v16, at, sizeof(v16));
        return v16;
    case ACH_KIND_INT32:
        memcpy(&v32, at, sizeof(v32));
        return v32;
    default:
        memcpy(&v64, at, sizeof(v64));
        return v64;
    }
}

static uint64_t load_unsigned(unsigned kind, const void *at)
{
    uint64_t v64;
    uint32_t v32;
    uint16_t v16;

    switch (kind) {
    case ACH_KIND_UINT16:
        memcpy(&v16, at, sizeof(v16));
        return v16;
    case ACH_KIND_UINT32:
        memcpy(&v32, at, sizeof(v32));
        return v32;
    case ACH_KIND_UINT64:
        memcpy(&v64, at, sizeof(v64));
        return v64;
    default:
        return *(const uint8_t *)at;
    }
}

void xdr_print_scalar(unsigned kind, const void *at, bool exact, FILE *to)
{
    double d;
    float f;

    if (kind == ACH_KIND_FLOAT) {
        memcpy(&f, at, sizeof(f));
        print_real(kind, (double)f, exact, to);
    } else if (kind == ACH_KIND_DOUBLE) {
        memcpy(&d, at, sizeof(d));
        print_real(kind, d, exact, to);
    } else if (kind == ACH_KIND_BOOL) {
        fputs(*(const uint8_t *)at ? "true" : "false", to);
    } else if (xdr_kind_is_signed(kind)) {
        fprintf(to, "%" PRId64, load_signed(kind, at));
    } else {
        fprintf(to, "%" PRIu64, load_unsigned(kind, at));
    }
}

/* *end: the text behind the number; @text: there is none. False: it does not fit. */
static bool read_real(unsigned kind, const char *text, const char **end, void *at)
{
    char *after;
    double d;
    float f;

    if (kind == ACH_KIND_FLOAT) {
        f = strtof(text, &after);
        d = (double)f;
        memcpy(at, &f, sizeof(f));
    } else {
        d = strtod(text, &after);
        memcpy(at, &d, sizeof(d));
    }
    *end = after;
    return !isinf(d) || json_is_infinity(text, after);
}

static bool store_signed(unsigned kind, int64_t v, void *at)
{
    int16_t v16 = (int16_t)v;
    int32_t v32 = (int32_t)v;

    switch (kind) {
    case ACH_KIND_INT8:
        *(int8_t *)at = (int8_t)v;
        return v >= INT8_MIN && v <= INT8_MAX;
    case ACH_KIND_INT16:
        memcpy(at, &v16, sizeof(v16));
        return v == v16;
    case ACH_KIND_INT32:
        memcpy(at, &v32, sizeof(v32));
        return v == v32;
    default:
        memcpy(at, &v, sizeof(v));
        return true;
    }
}

static bool store_unsigned(unsigned kind, uint64_t v, void *at)
{
    uint16_t v16 = (uint16_t)v;
    uint32_t v32 = (uint32_t)v;

    switch (kind) {
    case ACH_KIND_UINT16:
        memcpy(at, &v16, sizeof(v16));
        return v == v16;
    case ACH_KIND_UINT32:
        memcpy(at, &v32, sizeof(v32));
        return v == v32;
    case ACH_KIND_UINT64:
        memcpy(at, &v, sizeof(v));
        return true;
    default:
        *(uint8_t *)at = (uint8_t)v;
        return v <= (kind == ACH_KIND_BOOL ? 1 : UINT8_MAX);
    }
}

/* A leading zero does not make a number octal. */
static int base_of(const char *text)
{
    text += *text == '-' || *text == '+';
    return text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
}

/* As read_real. */
static bool read_whole(unsigned kind, const char *text, const char **end, void *at)
{
    char *after;
    bool fits;

    errno = 0;
    if (xdr_kind_is_signed(kind))
        fits = store_signed(kind, strtoll(text, &after, base_of(text)), at);
    else
        fits = store_unsigned(kind, strtoull(text, &after, base_of(text)), at) && *text != '-';
    *end = after;
    return fits && errno != ERANGE;
}

static bool read_number(unsigned kind, const char *text, const char **end, void *at)
{
    return kind == ACH_KIND_FLOAT || kind == ACH_KIND_DOUBLE ? read_real(kind, text, end, at)
                                                             : read_whole(kind, text, end, at);
}

/* Words that stand for numbers. */
static const struct {
    const char *word, *number;
} words[] = {{"true", "1"}, {"false", "0"}, {"null", "nan"}};

enum ach_status xdr_read_scalar(const ach_field_t *f, const char **text, void *at)
{
    const char *from = *text + strspn(*text, " \t\r\n"), *number = from, *end;
    size_t i, length = 0;
    bool fits;

    for (i = 0; i < sizeof(words) / sizeof(words[0]) && !length; i++) {
        if (strncmp(from, words[i].word, strlen(words[i].word)) == 0) {
            length = strlen(words[i].word);
            number = words[i].number;
        }
    }
    fits = read_number(f->kind, number, &end, at);
    if (end == number || (!fits && f->kind == ACH_KIND_BOOL))
        return xdr_expected_number("", f, *text);
    if (!length)
        length = (size_t)(end - from);
    if (!fits)
        return ach_errstr_set(ACH_EINVAL, "%s: %.*s does not fit %s", f->name,
                              (int)(length < 40 ? length : 40), from, xdr_kind_name(f->kind));
    *text = from + length;
    return ACH_OK;
}

const char *xdr_kind_name(unsigned kind)
{
    static const char *const names[] = {
        "nothing", "int8",  "uint8",  "char",  "int16",  "uint16", "int32",
        "uint32",  "int64", "uint64", "float", "double", "struct", "true or false",
    };

    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0];
}

enum ach_status xdr_expected(const char *what, const char *where, const char *at)
{
    if (*at == 0)
        return ach_errstr_set(ACH_EINVAL, "%s: expected %s, found the end", where, what);
    return ach_errstr_set(ACH_EINVAL, "%s: expected %s, found '%.20s'", where, what, at);
}

enum ach_status xdr_expected_number(const char *which, const ach_field_t *f, const char *at)
{
    char what[48];

    snprintf(what, sizeof(what), "a %snumber (%s)", which, xdr_kind_name(f->kind));
    return xdr_expected(what, f->name, at);
}
