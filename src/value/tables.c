/* SPDX-License-Identifier: BSD-3-Clause */
#include "tables.h"

#include <string.h>

#include "../device/xdr/scalar.h"

static uint8_t element_of(unsigned kind)
{
    static const uint8_t elements[] = {
        [ACH_KIND_INT8] = VALUE_INT8,     [ACH_KIND_UINT8] = VALUE_UINT8,
        [ACH_KIND_INT16] = VALUE_INT16,   [ACH_KIND_UINT16] = VALUE_UINT16,
        [ACH_KIND_INT32] = VALUE_INT32,   [ACH_KIND_UINT32] = VALUE_UINT32,
        [ACH_KIND_INT64] = VALUE_INT64,   [ACH_KIND_UINT64] = VALUE_UINT64,
        [ACH_KIND_FLOAT] = VALUE_FLOAT32, [ACH_KIND_DOUBLE] = VALUE_FLOAT64,
        [ACH_KIND_BOOL] = VALUE_BOOL8,
    };

    return elements[kind];
}

/* A string of variable length has a NUL at its end, which is not part of it. */
static void body_text(const ach_field_t *f, const char *at, uint32_t n, struct value *v)
{
    v->kind = VALUE_TEXT;
    v->text = at;
    if (f->array != ACH_ARRAY_VARIABLE)
        v->count = at ? strnlen(at, n) : 0;
    else
        v->count = n && at && at[n - 1] == '\0' ? n - 1 : n;
}

static enum ach_status body_field(struct value_arena *a, const ach_field_t *f, const uint8_t *body,
                                  struct value *v);

/* A struct whose only field has no name is that field. */
static enum ach_status body_struct(struct value_arena *a, const ach_type_t *type,
                                   const uint8_t *body, struct value *v)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    v->kind = VALUE_OBJECT;
    for (i = 0; status == ACH_OK && i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];
        struct value *member = v;

        if (f->array == ACH_ARRAY_COUNT)
            continue;
        if (*f->name)
            member = value_add(a, v, f->name, strlen(f->name));
        status = member ? body_field(a, f, body, member) : ACH_FAILED_SYSCALL;
    }
    return status;
}

static enum ach_status body_structs(struct value_arena *a, const ach_field_t *f, const uint8_t *at,
                                    uint32_t n, struct value *v)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    v->kind = VALUE_LIST;
    for (i = 0; status == ACH_OK && i < n; i++) {
        struct value *item = value_add(a, v, NULL, 0);

        status =
            item ? body_struct(a, f->type, at ? at + (size_t)f->type->body_size * i : NULL, item)
                 : ACH_FAILED_SYSCALL;
    }
    return status;
}

static enum ach_status body_field(struct value_arena *a, const ach_field_t *f, const uint8_t *body,
                                  struct value *v)
{
    struct value_text name = v->name;
    uint32_t n = body ? xdr_field_count(f, body) : f->array == ACH_ARRAY_VARIABLE ? 0 : f->limit;
    const uint8_t *at = body ? xdr_field_elements(f, body) : NULL;

    if (f->kind == ACH_KIND_CHAR) {
        body_text(f, (const char *)at, n, v);
        return ACH_OK;
    }
    if (f->type && f->array == ACH_ARRAY_NONE)
        return body_struct(a, f->type, at, v);
    v->fixed = f->array == ACH_ARRAY_FIXED;
    if (f->type)
        return body_structs(a, f, at, !body && !v->fixed ? 1 : n, v);
    v->kind = VALUE_PACKED;
    v->element = element_of(f->kind);
    v->numbers = at;
    v->count = n;
    if (f->array == ACH_ARRAY_NONE) {
        *v = value_item(v, 0);
        v->name = name;
    }
    return ACH_OK;
}

enum ach_status value_from_body(struct value_arena *a, const ach_type_t *type, const void *body,
                                struct value *v)
{
    return body_struct(a, type, body, v);
}
