/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode.c - bytes to bodies
 *
 * The bytes are not trusted. Before memory for an array is allocated, its count
 * is checked against its limit, against the same count in the struct, and against
 * the bytes that are left. Memory is one block, which is allocated from the front,
 * so that the memory used is bounded by the bytes received.
 */
#include "scalar.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct decode_reader {
    const uint8_t *at, *end;
    struct xdr_block block; /* for the body */
};

static enum ach_status decode_bad(const ach_type_t *type, const ach_step_t *step, const char *what)
{
    char name[128];

    return ach_errstr_set(ACH_CORRUPT, "%s: %s: %s", type->name,
                          xdr_field_name(type, step->offset, name, sizeof(name)), what);
}

static bool has(const struct decode_reader *r, uint64_t n)
{
    return n <= (uint64_t)(r->end - r->at);
}

static enum ach_status allocate(struct decode_reader *r, uint64_t n, uint64_t align, uint8_t **p)
{
    if (xdr_block_take(&r->block, n, align, p))
        return ACH_OK;
    return ach_errstr_set(ACH_OVERFLOW, "the body needs more than the allowed %llu bytes",
                          (unsigned long long)r->block.room);
}

static enum ach_status get_steps(struct decode_reader *r, const ach_type_t *type, uint8_t *body);

/* If only the size is wanted, structs of fixed size are skipped without decoding each. */
static enum ach_status get_structs(struct decode_reader *r, const ach_type_t *type, uint8_t *body,
                                   uint32_t n)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    if (!body && type->fixed) {
        r->at += (uint64_t)type->wire_size * n;
        return ACH_OK;
    }
    for (i = 0; status == ACH_OK && i < n; i++)
        status = get_steps(r, type, body ? body + (size_t)type->body_size * i : NULL);
    return status;
}

/* The caller has checked that the bytes are there. */
static enum ach_status get_elements(struct decode_reader *r, const ach_step_t *step, uint8_t *to,
                                    uint32_t n)
{
    const uint8_t *from = r->at;

    if (step->kind == ACH_KIND_STRUCT)
        return get_structs(r, step->type, to, n);
    r->at += xdr_elements_wire_size(step, n);
    if (!to)
        return ACH_OK;
    if (!xdr_kind_is_byte(step->kind))
        xdr_get_scalars(step->kind, to, from, (size_t)n * step->per);
    else if (n)
        memcpy(to, from, n);
    if (step->kind == ACH_KIND_CHAR)
        to[n] = 0;
    return ACH_OK;
}

static enum ach_status get_variable(struct decode_reader *r, const ach_type_t *type,
                                    const ach_step_t *step, uint8_t *body)
{
    enum ach_status status;
    uint8_t *to = NULL;
    uint32_t n;

    memcpy(&n, r->at, 4);
    n = be32toh(n);
    r->at += 4;
    if (n > step->limit)
        return decode_bad(type, step, "its count is over the limit");
    if (body && n != xdr_load_count(body, step))
        return decode_bad(type, step, "its two counts differ");
    if (!has(r, xdr_elements_wire_size(step, n)))
        return decode_bad(type, step, "the body is too short for its count");
    if (n || step->kind == ACH_KIND_CHAR) {
        status = allocate(r, xdr_elements_size(step, n), xdr_element_align(step), &to);
        if (status != ACH_OK)
            return status;
    }
    if (body)
        xdr_store_pointer(body, step->offset, to);
    return get_elements(r, step, to, n);
}

static enum ach_status get_step(struct decode_reader *r, const ach_type_t *type,
                                const ach_step_t *step, uint8_t *body)
{
    uint64_t n;

    if (step->array == ACH_ARRAY_NONE)
        n = (uint64_t)xdr_scalar_wire_size(step->kind) * step->limit;
    else
        n = step->array == ACH_ARRAY_FIXED ? xdr_elements_wire_size(step, step->limit) : 4;
    if (!has(r, n))
        return decode_bad(type, step, "the body ends before it");
    if (step->array == ACH_ARRAY_VARIABLE)
        return get_variable(r, type, step, body);
    if (step->array == ACH_ARRAY_FIXED)
        return get_elements(r, step, body ? body + step->offset : NULL, step->limit);
    if (body)
        xdr_get_scalars(step->kind, body + step->offset, r->at, step->limit);
    r->at += n;
    return ACH_OK;
}

static enum ach_status get_steps(struct decode_reader *r, const ach_type_t *type, uint8_t *body)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    for (i = 0; status == ACH_OK && i < type->step_count; i++)
        status = get_step(r, type, &type->steps[i], body);
    return status;
}

static enum ach_status get_body(struct decode_reader *r, const ach_type_t *type, size_t n)
{
    enum ach_status status;
    uint8_t *body = NULL;

    if (n == 0)
        return ach_errstr_set(ACH_ENOENT, "%s: the body is empty", type->name);
    if (n > ACH_BODY_MAX)
        return ach_errstr_set(ACH_CORRUPT, "%s: a body of %zu bytes, at most %u are allowed",
                              type->name, n, ACH_BODY_MAX);
    status = allocate(r, type->body_size, 1, &body);
    if (status == ACH_OK && body)
        memset(body, 0, type->body_size);
    if (status == ACH_OK)
        status = get_steps(r, type, body);
    if (status == ACH_OK && r->at != r->end)
        return ach_errstr_set(ACH_CORRUPT, "%s: %td bytes too many", type->name, r->end - r->at);
    return status;
}

enum ach_status ach_decoded_size(const ach_type_t *type, const void *bytes, size_t n, size_t *size)
{
    const uint8_t *from = bytes;
    struct decode_reader r = {from, n ? from + n : from, {NULL, 0, SIZE_MAX / 2}};
    enum ach_status status = get_body(&r, type, n);

    if (status == ACH_OK)
        *size = (size_t)r.block.used;
    return status;
}

enum ach_status ach_decode(const ach_type_t *type, const void *bytes, size_t n, void *out,
                           size_t room)
{
    const uint8_t *from = bytes;
    struct decode_reader r = {from, n ? from + n : from, {out, 0, room}};

    if (!out || (uintptr_t)out % type->body_align)
        return ach_errstr_set(ACH_EINVAL, "%s: the memory for it is NULL or not aligned",
                              type->name);
    return get_body(&r, type, n);
}

enum ach_status ach_decode_new(const ach_type_t *type, const void *bytes, size_t n, void **body)
{
    enum ach_status status;
    size_t size;
    void *p;

    status = ach_decoded_size(type, bytes, n, &size);
    if (status != ACH_OK)
        return status;
    p = malloc(size);
    if (!p)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "%s: no memory for %zu bytes", type->name, size);
    status = ach_decode(type, bytes, n, p, size);
    if (status == ACH_OK)
        *body = p;
    else
        free(p);
    return status;
}
