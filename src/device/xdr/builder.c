/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * builder.c - a body that grows while it is read from text
 *
 * Its arrays are pieces of memory of their own, kept in a list. In the end
 * everything is copied into one block and the pieces are freed.
 */
#include "scalar.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

struct xdr_piece {
    struct xdr_piece *next;
    _Alignas(XDR_BODY_ALIGN) uint8_t bytes[];
};

static uint8_t *piece(struct xdr_builder *draft, uint64_t size)
{
    struct xdr_piece *p = NULL;

    if (size < SIZE_MAX / 2)
        p = calloc(1, sizeof(*p) + (size_t)size);
    if (!p) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "%s: no memory", draft->type->name);
        return NULL;
    }
    p->next = draft->pieces;
    draft->pieces = p;
    return p->bytes;
}

enum ach_status xdr_builder_begin(struct xdr_builder *draft, const ach_type_t *type)
{
    draft->type = type;
    draft->pieces = NULL;
    draft->body = piece(draft, type->body_size);
    return draft->body ? ACH_OK : ACH_FAILED_SYSCALL;
}

enum ach_status xdr_builder_end(struct xdr_builder *draft, enum ach_status status, void **body)
{
    if (status == ACH_OK)
        status = ach_body_copy(draft->type, draft->body, body);
    while (draft->pieces) {
        struct xdr_piece *p = draft->pieces;

        draft->pieces = p->next;
        free(p);
    }
    return status;
}

uint8_t *xdr_builder_resize(struct xdr_builder *draft, const ach_field_t *field, uint8_t *body,
                            uint32_t n, enum ach_status *status)
{
    uint32_t had = xdr_field_count(field, body);
    uint8_t *old = xdr_field_elements(field, body);
    size_t size = xdr_field_element_size(field);
    uint8_t *fresh;

    if (n > field->limit) {
        *status = ach_errstr_set(ACH_EINVAL, "%s: %u elements, at most %u are allowed", field->name,
                                 n, field->limit);
        return NULL;
    }
    fresh = piece(draft, (uint64_t)size * n + 1);
    if (!fresh) {
        *status = ACH_FAILED_SYSCALL;
        return NULL;
    }
    if (had && n)
        memcpy(fresh, old, size * (had < n ? had : n));
    xdr_store_pointer(body, field->offset, fresh);
    memcpy(body + field->count_offset, &n, sizeof(n));
    return fresh;
}

const ach_field_t *xdr_field_find(const ach_type_t *type, const char *name, size_t length)
{
    const ach_field_t *f = type->fields;
    uint32_t i;

    for (i = 0; i < type->field_count; i++, f++)
        if (strncmp(f->name, name, length) == 0 && f->name[length] == 0)
            return f;
    return NULL;
}
