/* SPDX-License-Identifier: BSD-3-Clause */
/* scalar.h - kinds of scalars: how large they are, and how they get to the wire and back */
#ifndef ACHI_XDR_SCALAR_H
#define ACHI_XDR_SCALAR_H

#include <ach/interface.h>

/* What malloc guarantees is enough for every struct. */
#define ACHI_BODY_ALIGN 16u

static inline bool achi_kind_is_byte(unsigned kind)
{
    return kind == ACH_KIND_INT8 || kind == ACH_KIND_UINT8 || kind == ACH_KIND_CHAR;
}

/* In memory; 0 for what is no scalar. */
static inline uint32_t achi_scalar_size(unsigned kind)
{
    switch (kind) {
    case ACH_KIND_INT8:
    case ACH_KIND_UINT8:
    case ACH_KIND_CHAR:
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

/* On the wire, but for bytes in arrays, which are packed. */
static inline uint32_t achi_scalar_wire_size(unsigned kind)
{
    return achi_scalar_size(kind) == 8 ? 8 : 4;
}

/* So many scalars of one kind to the wire, from anywhere; and back. */
void achi_put_scalars(unsigned kind, uint8_t *to, const void *from, size_t n);
void achi_get_scalars(unsigned kind, void *to, const uint8_t *from, size_t n);

/* Bytes in arrays are padded to a multiple of four. */
static inline uint64_t achi_padded(uint64_t n)
{
    return (n + 3) & ~(uint64_t)3;
}

/* The bytes on the wire of n elements of an array; for structs the least they can be. */
static inline uint64_t achi_elements_wire_size(const ach_step_t *step, uint32_t n)
{
    if (step->kind == ACH_KIND_STRUCT)
        return (uint64_t)step->type->wire_size * n;
    if (achi_kind_is_byte(step->kind))
        return achi_padded(n);
    return (uint64_t)achi_scalar_wire_size(step->kind) * step->per * n;
}

/* The memory of one element of an array. */
static inline uint64_t achi_element_size(const ach_step_t *step)
{
    if (step->kind == ACH_KIND_STRUCT)
        return step->type->body_size;
    return (uint64_t)achi_scalar_size(step->kind) * step->per;
}

static inline uint32_t achi_element_align(const ach_step_t *step)
{
    return step->kind == ACH_KIND_STRUCT ? step->type->body_align : achi_scalar_size(step->kind);
}

/* The memory of an array: a string has one NUL more. */
static inline uint64_t achi_elements_size(const ach_step_t *step, uint32_t n)
{
    return achi_element_size(step) * n + (step->kind == ACH_KIND_CHAR);
}

static inline uint32_t achi_load_count(const void *body, const ach_step_t *step)
{
    uint32_t n;

    __builtin_memcpy(&n, (const uint8_t *)body + step->count_offset, sizeof(n));
    return n;
}

static inline void *achi_load_pointer(const void *body, uint32_t offset)
{
    void *p;

    __builtin_memcpy(&p, (const uint8_t *)body + offset, sizeof(p));
    return p;
}

static inline void achi_store_pointer(void *body, uint32_t offset, void *p)
{
    __builtin_memcpy((uint8_t *)body + offset, &p, sizeof(p));
}

/* The name of the field at an offset, with dots; for sentences about failures. */
const char *achi_field_name(const ach_type_t *type, uint32_t offset, char *text, size_t room);

#endif
