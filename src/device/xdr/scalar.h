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

/* The name of the field at an offset, such as pose.px; for error messages. */
const char *xdr_field_name(const ach_type_t *type, uint32_t offset, char *text, size_t room);

#endif
