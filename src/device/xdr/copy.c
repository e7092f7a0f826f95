/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c - copies and comparisons of whole bodies */
#include "scalar.h"

#include <stdlib.h>
#include <string.h>

static void copy_inner(struct xdr_block *b, const ach_type_t *type, const uint8_t *from,
                       uint8_t *to);

static void copy_structs(struct xdr_block *b, const ach_type_t *type, const uint8_t *from,
                         uint8_t *to, uint32_t n)
{
    size_t size = type->body_size;
    uint32_t i;

    if (!type->fixed)
        for (i = 0; i < n; i++)
            copy_inner(b, type, from + size * i, to ? to + size * i : NULL);
}

static void copy_array(struct xdr_block *b, const ach_step_t *step, const uint8_t *from,
                       uint8_t *to)
{
    uint32_t n = xdr_load_count(from, step);
    const uint8_t *elements = xdr_load_pointer(from, step->offset);
    size_t size = (size_t)xdr_element_size(step) * n;
    uint8_t *copy = NULL;

    if (n || step->kind == ACH_KIND_CHAR)
        xdr_block_take(b, xdr_elements_size(step, n), xdr_element_align(step), &copy);
    if (copy && n)
        memcpy(copy, elements, size);
    if (copy && step->kind == ACH_KIND_CHAR)
        copy[size] = 0;
    if (to)
        xdr_store_pointer(to, step->offset, copy);
    if (n && step->kind == ACH_KIND_STRUCT)
        copy_structs(b, step->type, elements, copy, n);
}

/* Copy what the struct points to. The caller has copied the struct itself. */
static void copy_inner(struct xdr_block *b, const ach_type_t *type, const uint8_t *from,
                       uint8_t *to)
{
    uint32_t i;

    for (i = 0; i < type->step_count; i++) {
        const ach_step_t *step = &type->steps[i];

        if (step->array == ACH_ARRAY_VARIABLE)
            copy_array(b, step, from, to);
        else if (step->array == ACH_ARRAY_FIXED && step->kind == ACH_KIND_STRUCT)
            copy_structs(b, step->type, from + step->offset, to ? to + step->offset : NULL,
                         step->limit);
    }
}

enum ach_status ach_body_copy(const ach_type_t *type, const void *body, void **copy)
{
    struct xdr_block b = {NULL, type->body_size, UINT64_MAX / 2};
    size_t encoded;
    enum ach_status status = ach_encoded_size(type, body, &encoded);

    if (status != ACH_OK)
        return status;
    copy_inner(&b, type, body, NULL);
    b.out = malloc(b.used ? (size_t)b.used : 1);
    if (!b.out)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "%s: no memory", type->name);
    b.used = type->body_size;
    memcpy(b.out, body, type->body_size);
    copy_inner(&b, type, body, b.out);
    *copy = b.out;
    return ACH_OK;
}

static bool equal_elements(const ach_step_t *step, const uint8_t *a, const uint8_t *b, uint32_t n)
{
    size_t size = (size_t)xdr_element_size(step);
    uint32_t i;

    if (step->kind != ACH_KIND_STRUCT)
        return n == 0 || memcmp(a, b, size * n) == 0;
    for (i = 0; i < n; i++)
        if (!ach_body_equal(step->type, a + size * i, b + size * i))
            return false;
    return true;
}

static bool equal_step(const ach_step_t *step, const uint8_t *a, const uint8_t *b)
{
    uint32_t n = step->limit;

    if (step->array != ACH_ARRAY_VARIABLE)
        return equal_elements(step, a + step->offset, b + step->offset, n);
    n = xdr_load_count(a, step);
    return n == xdr_load_count(b, step) && equal_elements(step, xdr_load_pointer(a, step->offset),
                                                          xdr_load_pointer(b, step->offset), n);
}

bool ach_body_equal(const ach_type_t *type, const void *a, const void *b)
{
    uint32_t i;

    for (i = 0; i < type->step_count; i++)
        if (!equal_step(&type->steps[i], a, b))
            return false;
    return true;
}
