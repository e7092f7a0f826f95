/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fields.c - the fields of a message, for Java
 *
 * A value is a tag and what Fields.java reads behind it, in the byte order of the machine:
 *
 *     z byte, l int64, d double    a boolean, an integer, a floating-point number
 *     s string                     a string is its uint32 size, and its bytes
 *     B count bytes                an array of uint8
 *     Z L D count elements         an array of bytes, int64, double
 *     V count values               an array of anything else
 *     M count (name value)...      a struct; a name is a string
 */
#include "common.h"

#include <string.h>

static void count_write(FILE *to, size_t count)
{
    uint32_t n = (uint32_t)count;

    fwrite(&n, sizeof(n), 1, to);
}

void fields_write_string(FILE *to, const char *bytes, size_t size)
{
    count_write(to, size);
    fwrite(bytes, 1, size, to);
}

static bool is_float(unsigned kind)
{
    return kind == ACH_KIND_FLOAT || kind == ACH_KIND_DOUBLE;
}

static size_t kind_size(unsigned kind)
{
    static const uint8_t sizes[] = {
        [ACH_KIND_INT8] = 1,   [ACH_KIND_UINT8] = 1, [ACH_KIND_CHAR] = 1,   [ACH_KIND_INT16] = 2,
        [ACH_KIND_UINT16] = 2, [ACH_KIND_INT32] = 4, [ACH_KIND_UINT32] = 4, [ACH_KIND_INT64] = 8,
        [ACH_KIND_UINT64] = 8, [ACH_KIND_FLOAT] = 4, [ACH_KIND_DOUBLE] = 8, [ACH_KIND_BOOL] = 1,
    };

    return sizes[kind];
}

static int64_t integer_of(unsigned kind, const void *at)
{
    switch (kind) {
    case ACH_KIND_INT8:
        return *(const int8_t *)at;
    case ACH_KIND_INT16:
        return *(const int16_t *)at;
    case ACH_KIND_UINT16:
        return *(const uint16_t *)at;
    case ACH_KIND_INT32:
        return *(const int32_t *)at;
    case ACH_KIND_UINT32:
        return *(const uint32_t *)at;
    case ACH_KIND_INT64:
    case ACH_KIND_UINT64:
        return *(const int64_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

/* A number without a tag. */
static void number_write(FILE *to, unsigned kind, const void *at)
{
    int64_t integer;
    double real;

    if (kind == ACH_KIND_BOOL) {
        fputc(*(const uint8_t *)at, to);
    } else if (is_float(kind)) {
        real = kind == ACH_KIND_FLOAT ? (double)*(const float *)at : *(const double *)at;
        fwrite(&real, sizeof(real), 1, to);
    } else {
        integer = integer_of(kind, at);
        fwrite(&integer, sizeof(integer), 1, to);
    }
}

static char tag_of(unsigned kind)
{
    return kind == ACH_KIND_BOOL ? 'z' : is_float(kind) ? 'd' : 'l';
}

static void array_write(FILE *to, const ach_field_t *f, const uint8_t *at, size_t count)
{
    size_t size = f->kind == ACH_KIND_STRUCT ? f->type->body_size : kind_size(f->kind);

    if (f->kind == ACH_KIND_CHAR) {
        fputc('s', to);
        fields_write_string(to, (const char *)at, at ? strnlen((const char *)at, count) : 0);
    } else if (f->kind == ACH_KIND_UINT8) {
        fputc('B', to);
        fields_write_string(to, (const char *)at, count);
    } else if (f->kind == ACH_KIND_STRUCT) {
        fputc('V', to);
        count_write(to, count);
        for (size_t i = 0; i < count; i++)
            fields_write(to, f->type, at + i * size);
    } else {
        fputc(tag_of(f->kind) - 'a' + 'A', to);
        count_write(to, count);
        for (size_t i = 0; i < count; i++)
            number_write(to, f->kind, at + i * size);
    }
}

static void field_write(FILE *to, const ach_field_t *f, const uint8_t *body)
{
    const uint8_t *at = body + f->offset;

    if (f->array == ACH_ARRAY_FIXED) {
        array_write(to, f, at, f->limit);
    } else if (f->array == ACH_ARRAY_VARIABLE) {
        array_write(to, f, *(const uint8_t *const *)at,
                    *(const uint32_t *)(body + f->count_offset));
    } else if (f->kind == ACH_KIND_STRUCT) {
        fields_write(to, f->type, at);
    } else {
        fputc(tag_of(f->kind), to);
        number_write(to, f->kind, at);
    }
}

void fields_write(FILE *to, const ach_type_t *type, const void *body)
{
    const ach_field_t *end = type->fields + type->field_count;
    size_t count = 0;

    for (const ach_field_t *f = type->fields; f < end; f++) {
        if (f->array != ACH_ARRAY_COUNT && !*f->name) { /* stands for the struct */
            field_write(to, f, body);
            return;
        }
        count += f->array != ACH_ARRAY_COUNT;
    }
    fputc('M', to);
    count_write(to, count);
    for (const ach_field_t *f = type->fields; f < end; f++)
        if (f->array != ACH_ARRAY_COUNT) {
            fields_write_string(to, f->name, strlen(f->name));
            field_write(to, f, body);
        }
}
