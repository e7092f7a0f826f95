/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * encode.c - bodies to bytes
 *
 * A type's steps are encoded in order; each is either scalars side by side or an
 * array. Only arrays of structs recurse, and the generator bounds their depth.
 */
#include "scalar.h"

#include <endian.h>
#include <string.h>

/* Where the next byte goes; `at` is NULL when only the size is wanted. */
struct writer {
    uint8_t *at;
    uint64_t used, room;
};

static enum ach_status bad_count(const ach_type_t *type, const ach_step_t *step, uint32_t count)
{
    char name[128];

    xdr_field_name(type, step->offset, name, sizeof(name));
    if (count > step->limit)
        return ach_errstr_set(ACH_EINVAL, "%s: %s has %u elements, at most %u are allowed",
                              type->name, name, count, step->limit);
    return ach_errstr_set(ACH_EINVAL, "%s: %s is NULL and should have %u elements", type->name,
                          name, count);
}

/* Reserve n bytes. *to: where they go; NULL when only the size is wanted. */
static enum ach_status reserve(struct writer *w, uint64_t n, uint8_t **to)
{
    if (n > w->room - w->used)
        return ach_errstr_set(w->at ? ACH_OVERFLOW : ACH_EINVAL,
                              "the body needs more than the allowed %llu bytes",
                              (unsigned long long)w->room);
    *to = w->at ? w->at + w->used : NULL;
    w->used += n;
    return ACH_OK;
}

static enum ach_status put_steps(struct writer *w, const ach_type_t *type, const uint8_t *body);

static enum ach_status put_scalars(struct writer *w, unsigned kind, const void *from, size_t n)
{
    uint8_t *to = NULL;
    enum ach_status status = reserve(w, (uint64_t)xdr_scalar_wire_size(kind) * n, &to);

    if (status == ACH_OK && to)
        xdr_put_scalars(kind, to, from, n);
    return status;
}

static enum ach_status put_bytes(struct writer *w, const void *from, uint32_t n)
{
    uint64_t padded = xdr_padded(n);
    uint8_t *to = NULL;
    enum ach_status status = reserve(w, padded, &to);

    if (status == ACH_OK && to && n) {
        memcpy(to, from, n);
        memset(to + n, 0, (size_t)padded - n);
    }
    return status;
}

static enum ach_status put_structs(struct writer *w, const ach_type_t *type, const uint8_t *body,
                                   uint32_t n)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    if (!w->at && type->fixed) {
        uint8_t *nowhere;

        return reserve(w, (uint64_t)type->wire_size * n, &nowhere);
    }
    for (i = 0; status == ACH_OK && i < n; i++)
        status = put_steps(w, type, body + (size_t)type->body_size * i);
    return status;
}

static enum ach_status put_elements(struct writer *w, const ach_step_t *step, const uint8_t *from,
                                    uint32_t n)
{
    if (step->kind == ACH_KIND_STRUCT)
        return put_structs(w, step->type, from, n);
    if (xdr_kind_is_byte(step->kind))
        return put_bytes(w, from, n);
    return put_scalars(w, step->kind, from, (size_t)n * step->per);
}

static enum ach_status put_variable(struct writer *w, const ach_type_t *type,
                                    const ach_step_t *step, const uint8_t *body)
{
    uint32_t count = xdr_load_count(body, step);
    const uint8_t *from = xdr_load_pointer(body, step->offset);
    enum ach_status status;

    if (count > step->limit || (count && !from))
        return bad_count(type, step, count);
    status = put_scalars(w, ACH_KIND_UINT32, &count, 1);
    if (status != ACH_OK || count == 0)
        return status;
    return put_elements(w, step, from, count);
}

static enum ach_status put_steps(struct writer *w, const ach_type_t *type, const uint8_t *body)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    for (i = 0; status == ACH_OK && i < type->step_count; i++) {
        const ach_step_t *step = &type->steps[i];

        if (step->array == ACH_ARRAY_NONE)
            status = put_scalars(w, step->kind, body + step->offset, step->limit);
        else if (step->array == ACH_ARRAY_FIXED)
            status = put_elements(w, step, body + step->offset, step->limit);
        else
            status = put_variable(w, type, step, body);
    }
    return status;
}

enum ach_status ach_encoded_size(const ach_type_t *type, const void *body, size_t *size)
{
    struct writer w = {NULL, 0, ACH_BODY_MAX};
    enum ach_status status = put_steps(&w, type, body);

    if (status == ACH_OK)
        *size = (size_t)w.used;
    return status;
}

enum ach_status ach_encode(const ach_type_t *type, const void *body, void *buffer, size_t room,
                           size_t *size)
{
    struct writer w = {buffer, 0, room < ACH_BODY_MAX ? room : ACH_BODY_MAX};
    enum ach_status status;

    if (!buffer)
        return ach_errstr_set(ACH_EINVAL, "%s: there is no buffer", type->name);
    status = put_steps(&w, type, body);
    if (status == ACH_OK)
        *size = (size_t)w.used;
    return status;
}
