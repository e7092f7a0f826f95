/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bodies.c - messages as values
 *
 * A struct becomes a struct, an array a column, an array of char a text, and an array of texts a
 * cell array. The type bounds the recursion, in both directions.
 */
#include "gateway.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A class of numbers, its name and the range of an integer. */
struct number_class {
    mxClassID class;
    const char *name;
    size_t size;
    long double least, most; /* both 0: not an integer */
};

static const struct number_class number_classes[] = {
    {mxUINT8_CLASS, "uint8", 1, 0, UINT8_MAX},    {mxINT8_CLASS, "int8", 1, INT8_MIN, INT8_MAX},
    {mxUINT16_CLASS, "uint16", 2, 0, UINT16_MAX}, {mxINT16_CLASS, "int16", 2, INT16_MIN, INT16_MAX},
    {mxUINT32_CLASS, "uint32", 4, 0, UINT32_MAX}, {mxINT32_CLASS, "int32", 4, INT32_MIN, INT32_MAX},
    {mxUINT64_CLASS, "uint64", 8, 0, UINT64_MAX}, {mxINT64_CLASS, "int64", 8, INT64_MIN, INT64_MAX},
    {mxSINGLE_CLASS, "single", 4, 0, 0},          {mxDOUBLE_CLASS, "double", 8, 0, 0},
    {mxLOGICAL_CLASS, "logical", 1, 0, 1},
};

/* The class of numbers of a kind of fields. */
static const struct number_class *class_of_kind(unsigned kind)
{
    static const uint8_t index[] = {
        [ACH_KIND_UINT8] = 0,  [ACH_KIND_INT8] = 1,   [ACH_KIND_UINT16] = 2, [ACH_KIND_INT16] = 3,
        [ACH_KIND_UINT32] = 4, [ACH_KIND_INT32] = 5,  [ACH_KIND_UINT64] = 6, [ACH_KIND_INT64] = 7,
        [ACH_KIND_FLOAT] = 8,  [ACH_KIND_DOUBLE] = 9, [ACH_KIND_BOOL] = 10,
    };

    return &number_classes[index[kind]];
}

static const struct number_class *class_of_id(mxClassID id)
{
    for (size_t i = 0; i < sizeof(number_classes) / sizeof(number_classes[0]); i++)
        if (number_classes[i].class == id)
            return &number_classes[i];
    return NULL;
}

mxClassID oct_class_named(const char *name)
{
    const size_t count = sizeof(number_classes) / sizeof(number_classes[0]) - 1; /* not logical */

    if (strcmp(name, "struct") == 0)
        return mxSTRUCT_CLASS;
    if (strcmp(name, "char") == 0)
        return mxCHAR_CLASS;
    for (size_t i = 0; i < count; i++)
        if (strcmp(number_classes[i].name, name) == 0)
            return number_classes[i].class;
    oct_throw(ACH_EINVAL,
              "expected a class of numbers, 'char' or 'struct' for a message, found '%.100s'",
              name);
}

static mxArray *numbers_value(const struct number_class *c, const void *from, size_t count)
{
    mxArray *a = c->class == mxLOGICAL_CLASS
                     ? mxCreateLogicalMatrix((mwSize)count, 1)
                     : mxCreateNumericMatrix((mwSize)count, 1, c->class, mxREAL);

    if (count > 0)
        memcpy(mxGetData(a), from, count * c->size);
    return a;
}

/* A string in an array has a type of its own. Its last field, behind a count, has no name. */
static const ach_field_t *nameless_field(const ach_type_t *type)
{
    const ach_field_t *last = &type->fields[type->field_count - 1];

    return *last->name ? NULL : last;
}

static size_t field_size(const ach_field_t *f)
{
    return f->type                    ? f->type->body_size
           : f->kind == ACH_KIND_CHAR ? 1
                                      : class_of_kind(f->kind)->size;
}

/* Where the values of a field are, and how many. */
static const uint8_t *field_values(const ach_field_t *f, const uint8_t *body, size_t *count)
{
    const uint8_t *values = body + f->offset;
    uint32_t n = f->limit;

    if (f->array == ACH_ARRAY_VARIABLE) {
        memcpy(&n, body + f->count_offset, sizeof(n));
        memcpy(&values, body + f->offset, sizeof(values));
    }
    *count = f->array == ACH_ARRAY_NONE ? 1 : values ? n : 0;
    return values;
}

static mxArray *structs_value(const ach_type_t *type, const uint8_t *bodies, size_t count);

static mxArray *field_value(const ach_field_t *f, const uint8_t *body)
{
    size_t count;
    const uint8_t *values = field_values(f, body, &count);
    const ach_field_t *only;
    mxArray *cell;

    if (f->kind == ACH_KIND_CHAR)
        return oct_char(values, count ? strnlen((const char *)values, count) : 0);
    if (f->kind != ACH_KIND_STRUCT)
        return numbers_value(class_of_kind(f->kind), values, count);
    only = nameless_field(f->type);
    if (!only)
        return structs_value(f->type, values, count);
    if (f->array == ACH_ARRAY_NONE)
        return field_value(only, values);
    cell = mxCreateCellMatrix((mwSize)count, 1);
    for (size_t i = 0; i < count; i++)
        mxSetCell(cell, (mwIndex)i, field_value(only, values + i * f->type->body_size));
    return cell;
}

static mxArray *structs_value(const ach_type_t *type, const uint8_t *bodies, size_t count)
{
    mxArray *s = mxCreateStructMatrix((mwSize)count, 1, 0, NULL);

    for (uint32_t i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];
        int number;

        if (f->array == ACH_ARRAY_COUNT)
            continue;
        number = mxAddField(s, f->name);
        for (size_t k = 0; k < count; k++)
            mxSetFieldByNumber(s, (mwIndex)k, number, field_value(f, bodies + k * type->body_size));
    }
    return s;
}

mxArray *oct_body_value(const ach_type_t *type, const void *body)
{
    const ach_field_t *only = nameless_field(type);

    return only ? field_value(only, body) : structs_value(type, body, 1);
}

/* long double has all integers of 64 bits on the systems that Ach runs on. */
static long double number_load(const void *data, mxClassID class, size_t i)
{
    switch (class) {
    case mxUINT8_CLASS:
    case mxLOGICAL_CLASS:
        return ((const uint8_t *)data)[i];
    case mxINT8_CLASS:
        return ((const int8_t *)data)[i];
    case mxUINT16_CLASS:
        return ((const uint16_t *)data)[i];
    case mxINT16_CLASS:
        return ((const int16_t *)data)[i];
    case mxUINT32_CLASS:
        return ((const uint32_t *)data)[i];
    case mxINT32_CLASS:
        return ((const int32_t *)data)[i];
    case mxUINT64_CLASS:
        return ((const uint64_t *)data)[i];
    case mxINT64_CLASS:
        return ((const int64_t *)data)[i];
    case mxSINGLE_CLASS:
        return (long double)((const float *)data)[i];
    default:
        return (long double)((const double *)data)[i];
    }
}

static void number_store(void *to, mxClassID class, size_t i, long double n)
{
    switch (class) {
    case mxUINT8_CLASS:
    case mxLOGICAL_CLASS:
        ((uint8_t *)to)[i] = (uint8_t)n;
        break;
    case mxINT8_CLASS:
        ((int8_t *)to)[i] = (int8_t)n;
        break;
    case mxUINT16_CLASS:
        ((uint16_t *)to)[i] = (uint16_t)n;
        break;
    case mxINT16_CLASS:
        ((int16_t *)to)[i] = (int16_t)n;
        break;
    case mxUINT32_CLASS:
        ((uint32_t *)to)[i] = (uint32_t)n;
        break;
    case mxINT32_CLASS:
        ((int32_t *)to)[i] = (int32_t)n;
        break;
    case mxUINT64_CLASS:
        ((uint64_t *)to)[i] = (uint64_t)n;
        break;
    case mxINT64_CLASS:
        ((int64_t *)to)[i] = (int64_t)n;
        break;
    case mxSINGLE_CLASS:
        ((float *)to)[i] = (float)n;
        break;
    default:
        ((double *)to)[i] = (double)n;
        break;
    }
}

/* Whether a number of Octave can be one of that class. NaN and the infinities are no integers. */
static bool number_fits(const struct number_class *c, long double n)
{
    if (c->most > 0)
        return n >= c->least && n <= c->most && n == floorl(n);
    return c->class != mxSINGLE_CLASS || !isfinite(n) || isfinite((float)n);
}

/* Numbers of any class. They must fit: Octave would replace an integer by the nearest that does. */
static void numbers_set(const ach_field_t *f, const mxArray *value, void *to, size_t count)
{
    const struct number_class *want = class_of_kind(f->kind);
    const struct number_class *have = class_of_id(mxGetClassID(value));

    if (!have || mxIsComplex(value) || mxIsSparse(value))
        oct_throw(ACH_EINVAL, "%s: expected real numbers, found %s%s", f->name,
                  have ? "complex or sparse " : "", mxGetClassName(value));
    for (size_t i = 0; i < count; i++) {
        long double n = number_load(mxGetData(value), have->class, i);

        if (!number_fits(want, n))
            oct_throw(ACH_EINVAL, "%s: expected %s, found %Lg", f->name, want->name, n);
        number_store(to, want->class, i, n);
    }
}

/* Memory for @count values of a field, within the body or as an array of its own. */
static uint8_t *field_room(const ach_field_t *f, uint8_t *body, size_t count)
{
    uint32_t n = (uint32_t)count;
    uint8_t *room;

    if (f->array != ACH_ARRAY_VARIABLE)
        return body + f->offset;
    room = mxCalloc(count + 1, field_size(f));
    memcpy(body + f->count_offset, &n, sizeof(n));
    memcpy(body + f->offset, &room, sizeof(room));
    return room;
}

static void text_set(const ach_field_t *f, const mxArray *value, uint8_t *body)
{
    size_t size, nul = f->array == ACH_ARRAY_VARIABLE;
    const void *bytes;

    if (!mxIsChar(value) && !mxIsEmpty(value))
        oct_throw(ACH_EINVAL, "%s: expected text, found %s", f->name, mxGetClassName(value));
    bytes = oct_bytes(value, f->name, &size);
    if (size + nul > f->limit)
        oct_throw(ACH_EINVAL, "%s: expected at most %zu characters, found %zu", f->name,
                  f->limit - nul, size);
    if (size > 0 && memchr(bytes, 0, size))
        oct_throw(ACH_EINVAL, "%s: a string must not contain NUL", f->name);
    if (size > 0)
        memcpy(field_room(f, body, size + nul), bytes, size);
    else
        field_room(f, body, nul);
}

/* How many values @value has. Throws if the field cannot have that many. */
static size_t field_count(const ach_field_t *f, const mxArray *value)
{
    size_t count = mxGetNumberOfElements(value);

    if (f->array == ACH_ARRAY_VARIABLE ? count > f->limit : count != f->limit && count != 0)
        oct_throw(ACH_EINVAL, "%s: expected %s%u values, found %zu", f->name,
                  f->array == ACH_ARRAY_VARIABLE ? "at most " : "", (unsigned)f->limit, count);
    if (f->array == ACH_ARRAY_NONE && count == 0)
        oct_throw(ACH_EINVAL, "%s: expected one value, found none", f->name);
    return count;
}

static void body_set(const ach_type_t *type, const mxArray *value, size_t index, uint8_t *body);

static void field_set(const ach_field_t *f, const mxArray *value, uint8_t *body)
{
    size_t count;
    uint8_t *room;

    if (f->kind == ACH_KIND_CHAR) {
        text_set(f, value, body);
        return;
    }
    if (f->type && nameless_field(f->type) && f->array == ACH_ARRAY_NONE) {
        field_set(nameless_field(f->type), value, body + f->offset);
        return;
    }
    count = field_count(f, value);
    room = field_room(f, body, count);
    if (!f->type) {
        numbers_set(f, value, room, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        body_set(f->type, value, i, room + i * f->type->body_size);
}

__attribute__((noreturn)) static void field_unknown(const ach_type_t *type, const char *name)
{
    char all[512] = "";
    size_t used = 0;

    for (const ach_field_t *f = type->fields; f < type->fields + type->field_count; f++)
        if (f->array != ACH_ARRAY_COUNT && used < sizeof(all))
            used +=
                (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "", f->name);
    oct_throw(ACH_EINVAL, "%s has no field '%.100s'; it has: %s", type->name, name, all);
}

static const ach_field_t *field_named(const ach_type_t *type, const char *name)
{
    for (const ach_field_t *f = type->fields; f < type->fields + type->field_count; f++)
        if (f->array != ACH_ARRAY_COUNT && strcmp(f->name, name) == 0)
            return f;
    field_unknown(type, name);
}

/* Fields that the value does not have stay 0. */
static void body_set(const ach_type_t *type, const mxArray *value, size_t index, uint8_t *body)
{
    const ach_field_t *only = nameless_field(type);

    if (only) {
        const mxArray *element = mxIsCell(value) ? mxGetCell(value, (mwIndex)index) : NULL;

        if (!element)
            oct_throw(ACH_EINVAL, "expected a cell array of texts, found %s",
                      mxGetClassName(value));
        field_set(only, element, body);
        return;
    }
    if (!mxIsStruct(value))
        oct_throw(ACH_EINVAL, "%s: expected a struct, found %s", type->name, mxGetClassName(value));
    for (int i = 0; i < mxGetNumberOfFields(value); i++) {
        const ach_field_t *f = field_named(type, mxGetFieldNameByNumber(value, i));
        const mxArray *element = mxGetFieldByNumber(value, (mwIndex)index, i);

        if (element)
            field_set(f, element, body);
    }
}

void *oct_body_of(const ach_type_t *type, const mxArray *value)
{
    uint8_t *body = mxCalloc(1, type->body_size);

    if (mxGetNumberOfElements(value) != 1)
        oct_throw(ACH_EINVAL, "%s: expected one struct, found %zu", type->name,
                  (size_t)mxGetNumberOfElements(value));
    body_set(type, value, 0, body);
    return body;
}

const ach_type_t *oct_message_type(struct oct_handle *h)
{
    const ach_channel_type_t *type;

    if (!h->definition) {
        oct_check(ach_channel_type(&h->chan, &type));
        if (strcmp(type->encoding, "cdr") != 0 || (strcmp(type->schema_encoding, "ros2msg") != 0 &&
                                                   strcmp(type->schema_encoding, "ros1msg") != 0))
            oct_throw(ACH_ENOTSUP,
                      "structs need the encoding cdr and a schema in ros2msg, not %s and '%s'",
                      type->encoding, type->schema_encoding);
        oct_check(ach_definition_new(type->name, type->schema, type->schema_size, &h->definition));
    }
    return ach_definition_type(h->definition);
}

mxArray *oct_message_value(struct oct_handle *h, mxClassID class, const void *bytes, size_t size)
{
    const struct number_class *number;
    const ach_type_t *type;
    void *body;

    if (class == mxSTRUCT_CLASS) {
        type = oct_message_type(h);
        oct_check(ach_cdr_decode_new(type, bytes, size, &body));
        return oct_body_value(type, oct_hold_body(body));
    }
    if (class == mxCHAR_CLASS)
        return oct_char(bytes, size);
    number = class_of_id(class);
    if (size % number->size != 0)
        oct_throw(ACH_EINVAL, "the message has %zu bytes: not a whole number of %s", size,
                  number->name);
    return numbers_value(number, bytes, size / number->size);
}
