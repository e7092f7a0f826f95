/* SPDX-License-Identifier: BSD-3-Clause */
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void value_tree_finish(struct value_tree *t)
{
    value_arena_finish(&t->arena);
    memset(&t->root, 0, sizeof(t->root));
}

bool value_is_list(const struct value *v)
{
    return v->kind == VALUE_LIST || v->kind == VALUE_PACKED;
}

struct value *value_add(struct value_arena *a, struct value *parent, const char *name, size_t size)
{
    struct value *items = value_grow(a, parent->items, parent->count, sizeof(*items));

    if (!items)
        return NULL;
    parent->items = items;
    items[parent->count] = (struct value){.name = {name, size}};
    return &items[parent->count++];
}

static size_t element_size(uint8_t element)
{
    static const uint8_t sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};

    return sizes[element];
}

bool value_add_number(struct value_arena *a, struct value *list, const void *number)
{
    size_t size = element_size(list->element);
    uint8_t *numbers = value_grow(a, (void *)(uintptr_t)list->numbers, list->count, size);

    if (!numbers)
        return false;
    memcpy(numbers + size * list->count++, number, size);
    list->numbers = numbers;
    return true;
}

static uint64_t load_unsigned(const uint8_t *at, size_t size)
{
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;

    switch (size) {
    case 1:
        return *at;
    case 2:
        memcpy(&u16, at, sizeof(u16));
        return u16;
    case 4:
        memcpy(&u32, at, sizeof(u32));
        return u32;
    default:
        memcpy(&u64, at, sizeof(u64));
        return u64;
    }
}

static int64_t load_signed(const uint8_t *at, size_t size)
{
    unsigned unused = 64 - 8 * (unsigned)size;

    return (int64_t)(load_unsigned(at, size) << unused) >> unused;
}

static struct value number_at(uint8_t element, const uint8_t *at)
{
    struct value v = {.kind = VALUE_UINT};
    size_t size = element_size(element);
    float f;

    if (element == VALUE_BOOL8) {
        v.kind = VALUE_BOOL;
        v.truth = *at != 0;
    } else if (element == VALUE_FLOAT32) {
        memcpy(&f, at, sizeof(f));
        v.kind = VALUE_FLOAT;
        v.real = (double)f;
    } else if (element == VALUE_FLOAT64) {
        v.kind = VALUE_DOUBLE;
        memcpy(&v.real, at, sizeof(v.real));
    } else if (element >= VALUE_UINT8) {
        v.u = load_unsigned(at, size);
    } else {
        v.kind = VALUE_INT;
        v.i = load_signed(at, size);
    }
    return v;
}

struct value value_item(const struct value *list, size_t index)
{
    static const uint8_t zeros[8];

    if (list->kind != VALUE_PACKED)
        return list->items[index];
    return number_at(list->element,
                     list->numbers ? list->numbers + element_size(list->element) * index : zeros);
}

const struct value *value_member(const struct value *object, const char *name, size_t size)
{
    size_t i;

    for (i = object->count; i-- > 0;) {
        const struct value *v = &object->items[i];

        if (v->name.size == size && memcmp(v->name.at, name, size) == 0)
            return v;
    }
    return NULL;
}

static bool text_real(const struct value *v, double *real)
{
    char *end;

    *real = strtod(v->text, &end);
    return end == v->text + v->count;
}

bool value_real(const struct value *v, double *real)
{
    switch (v->kind) {
    case VALUE_BOOL:
        *real = v->truth;
        return true;
    case VALUE_INT:
    case VALUE_ENUM:
        *real = (double)v->i;
        return true;
    case VALUE_UINT:
        *real = (double)v->u;
        return true;
    case VALUE_FLOAT:
    case VALUE_DOUBLE:
        *real = v->real;
        return true;
    case VALUE_NUMBER:
        return text_real(v, real);
    default:
        return false;
    }
}

bool value_begins(const struct value *v, char c)
{
    return v->count && v->text[0] == c;
}

/* Exact: the fewest digits that read back as the same number. */
static void real_text(const struct value *v, bool exact, char text[VALUE_SCALAR_TEXT])
{
    bool small = v->kind == VALUE_FLOAT;
    int digits = small ? 6 : exact ? 15 : 10, most = small ? 9 : 17;

    if (isnan(v->real)) {
        strcpy(text, "nan"); /* without a sign */
        return;
    }
    for (; digits <= most; digits++) {
        snprintf(text, VALUE_SCALAR_TEXT, "%.*g", digits, v->real);
        if (!exact || (small ? (double)strtof(text, NULL) : strtod(text, NULL)) == v->real)
            return;
    }
}

const char *value_scalar_text(const struct value *v, bool exact, char text[VALUE_SCALAR_TEXT])
{
    switch (v->kind) {
    case VALUE_BOOL:
        return v->truth ? "true" : "false";
    case VALUE_INT:
        snprintf(text, VALUE_SCALAR_TEXT, "%" PRId64, v->i);
        return text;
    case VALUE_UINT:
        snprintf(text, VALUE_SCALAR_TEXT, "%" PRIu64, v->u);
        return text;
    case VALUE_FLOAT:
    case VALUE_DOUBLE:
        real_text(v, exact, text);
        return text;
    default:
        return "null";
    }
}
