/* SPDX-License-Identifier: BSD-3-Clause */
/* scalar.h - kinds of scalars: their sizes, and their encoding and decoding */
#ifndef XDR_SCALAR_H
#define XDR_SCALAR_H

#include <ach/interface.h>

/* Limit of the alignment of a struct: malloc guarantees it. */
#define XDR_BODY_ALIGN 16u

static inline bool xdr_kind_is_byte(unsigned kind)
{
    return kind == ACH_KIND_INT8 || kind == ACH_KIND_UINT8 || kind == ACH_KIND_CHAR ||
           kind == ACH_KIND_BOOL;
}

static inline bool xdr_kind_is_signed(unsigned kind)
{
    return kind == ACH_KIND_INT8 || kind == ACH_KIND_INT16 || kind == ACH_KIND_INT32 ||
           kind == ACH_KIND_INT64;
}

/* Bytes in memory; 0: not a scalar. */
static inline uint32_t xdr_scalar_size(unsigned kind)
{
    switch (kind) {
    case ACH_KIND_INT8:
    case ACH_KIND_UINT8:
    case ACH_KIND_CHAR:
    case ACH_KIND_BOOL:
        return 1;
    case ACH_KIND_INT16:
    case ACH_KIND_UINT16:
        return 2;
    case ACH_KIND_INT32:
    case ACH_KIND_UINT32:
    case ACH_KIND_FLOAT:
        return 4;
    case ACH_KIND_INT64:
    case ACH_KIND_UINT64:
    case ACH_KIND_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

/* Bytes on the wire, except in arrays of bytes, which are packed. */
static inline uint32_t xdr_scalar_wire_size(unsigned kind)
{
    return xdr_scalar_size(kind) == 8 ? 8 : 4;
}

/* Encode or decode @n scalars of one kind. The memory need not be aligned. */
void xdr_put_scalars(unsigned kind, uint8_t *to, const void *from, size_t n);
void xdr_get_scalars(unsigned kind, void *to, const uint8_t *from, size_t n);

/* Bytes in arrays are padded to a multiple of four. */
static inline uint64_t xdr_padded(uint64_t n)
{
    return (n + 3) & ~(uint64_t)3;
}

/* Bytes on the wire of n elements of an array; for structs, the minimum. */
static inline uint64_t xdr_elements_wire_size(const ach_step_t *step, uint32_t n)
{
    if (step->kind == ACH_KIND_STRUCT)
        return (uint64_t)step->type->wire_size * n;
    if (xdr_kind_is_byte(step->kind))
        return xdr_padded(n);
    return (uint64_t)xdr_scalar_wire_size(step->kind) * step->per * n;
}

/* Bytes in memory of one element of an array. */
static inline uint64_t xdr_element_size(const ach_step_t *step)
{
    if (step->kind == ACH_KIND_STRUCT)
        return step->type->body_size;
    return (uint64_t)xdr_scalar_size(step->kind) * step->per;
}

static inline uint32_t xdr_element_align(const ach_step_t *step)
{
    return step->kind == ACH_KIND_STRUCT ? step->type->body_align : xdr_scalar_size(step->kind);
}

/* Bytes in memory of an array; an array of char has a NUL in addition. */
static inline uint64_t xdr_elements_size(const ach_step_t *step, uint32_t n)
{
    return xdr_element_size(step) * n + (step->kind == ACH_KIND_CHAR);
}

static inline uint32_t xdr_load_count(const void *body, const ach_step_t *step)
{
    uint32_t n;

    __builtin_memcpy(&n, (const uint8_t *)body + step->count_offset, sizeof(n));
    return n;
}

static inline void *xdr_load_pointer(const void *body, uint32_t offset)
{
    void *p;

    __builtin_memcpy(&p, (const uint8_t *)body + offset, sizeof(p));
    return p;
}

static inline void xdr_store_pointer(void *body, uint32_t offset, void *p)
{
    __builtin_memcpy((uint8_t *)body + offset, &p, sizeof(p));
}

/* Bytes in memory of one value of a field, or of one element of its array. */
static inline size_t xdr_field_element_size(const ach_field_t *field)
{
    return field->type ? field->type->body_size : xdr_scalar_size(field->kind);
}

/* How many values a field has: of a variable array, what its count says. */
static inline uint32_t xdr_field_count(const ach_field_t *field, const void *body)
{
    uint32_t n = field->limit;

    if (field->array == ACH_ARRAY_VARIABLE)
        __builtin_memcpy(&n, (const uint8_t *)body + field->count_offset, sizeof(n));
    return n;
}

/* The first value of a field. */
static inline uint8_t *xdr_field_elements(const ach_field_t *field, const void *body)
{
    if (field->array == ACH_ARRAY_VARIABLE)
        return xdr_load_pointer(body, field->offset);
    return (uint8_t *)(uintptr_t)body + field->offset;
}

/* The field that stands for the whole struct: the one without a name. NULL: there is none. */
static inline const ach_field_t *xdr_value_field(const ach_type_t *type)
{
    const ach_field_t *end = type->fields + type->field_count; /* it is behind its count */

    return type->field_count == 0 || *end[-1].name ? NULL : end - 1;
}

/* A block of memory that is filled from the front. */
struct xdr_block {
    uint8_t *out; /* NULL: only compute the size */
    uint64_t used, room;
};

/* Memory behind what is used; NULL if only the size is computed. False: there is no room. */
static inline bool xdr_block_take(struct xdr_block *b, uint64_t n, uint64_t align, uint8_t **p)
{
    uint64_t from = (b->used + align - 1) & ~(align - 1);

    if (from > b->room || n > b->room - from)
        return false;
    *p = b->out ? b->out + from : NULL;
    b->used = from + n;
    return true;
}

/* The name of the field at an offset, such as pose.px; for error messages. */
const char *xdr_field_name(const ach_type_t *type, uint32_t offset, char *text, size_t room);

#endif
