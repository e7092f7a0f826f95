/* SPDX-License-Identifier: BSD-3-Clause */
#include "generic.h"

#include <ach.h>
#include <string.h>

#include "number.h"

static const struct drv_form exact = {.precision = -1, .conversion = 'd'};

static size_t element_size(const ach_field_t *f)
{
    return f->kind == ACH_KIND_STRUCT ? f->type->body_size : drv_number_size(f->kind);
}

static bool is_bytes(const ach_field_t *f)
{
    return f->kind == ACH_KIND_UINT8 || f->kind == ACH_KIND_INT8;
}

static void write_elements(struct drv_text *t, const ach_field_t *f, const char *at, uint32_t n)
{
    size_t size = element_size(f);
    uint32_t i;

    for (i = 0; i < n; i++) {
        if (f->kind == ACH_KIND_STRUCT)
            drv_generic_write(t, f->type, at + i * size);
        else
            drv_number_write(t, f->kind, at + i * size, 1, &exact);
    }
}

static void write_variable(struct drv_text *t, const ach_field_t *f, const char *body)
{
    const char *at;
    uint32_t n;

    memcpy(&n, body + f->count_offset, sizeof(n));
    memcpy(&at, body + f->offset, sizeof(at));
    if (f->kind == ACH_KIND_CHAR)
        drv_text_quote(t, at, n && !at[n - 1] ? n - 1 : n);
    else if (is_bytes(f))
        drv_text_hex(t, at, n);
    else {
        drv_text_format(t, " %u", n);
        write_elements(t, f, at, n);
    }
}

void drv_generic_write(struct drv_text *t, const ach_type_t *type, const void *body)
{
    const char *b = body;
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (f->array == ACH_ARRAY_VARIABLE)
            write_variable(t, f, b);
        else if (f->kind == ACH_KIND_CHAR)
            drv_text_quote(t, b + f->offset, strnlen(b + f->offset, f->limit));
        else if (f->array != ACH_ARRAY_COUNT)
            write_elements(t, f, b + f->offset, f->limit);
    }
}

static ach_status_t read_elements(struct drv_words *w, const ach_field_t *f, char *at, uint32_t n)
{
    size_t size = element_size(f);
    ach_status_t status = ACH_OK;
    uint32_t i;

    for (i = 0; i < n && status == ACH_OK; i++) {
        if (f->kind == ACH_KIND_STRUCT)
            status = drv_generic_read(w, f->type, at + i * size);
        else
            status = drv_number_read(w, f->kind, at + i * size, 1, 10);
    }
    return status;
}

static ach_status_t generic_too_many(const ach_field_t *f)
{
    return ach_errstr_set(ACH_EINVAL, "%s has more elements than allowed", f->name);
}

/* A string is NUL-terminated in place, in the line. */
static ach_status_t generic_read_bytes(struct drv_words *w, const ach_field_t *f, char **at,
                                       uint32_t *n)
{
    ach_status_t status;
    size_t length;

    status =
        f->kind == ACH_KIND_CHAR ? drv_words_quoted(w, at, &length) : drv_words_hex(w, at, &length);
    if (status != ACH_OK)
        return status;
    if (f->kind == ACH_KIND_CHAR)
        (*at)[length++] = '\0';
    if (length > f->limit)
        return generic_too_many(f);
    *n = (uint32_t)length;
    return ACH_OK;
}

/* Each element needs at least a blank and a character: so the line's length bounds the memory. */
static ach_status_t read_array(struct drv_words *w, const ach_field_t *f, char **at, uint32_t *n)
{
    ach_status_t status = drv_number_read(w, ACH_KIND_UINT32, n, 1, 10);

    if (status != ACH_OK)
        return status;
    if (*n > f->limit)
        return generic_too_many(f);
    if (*n > (size_t)(w->end - w->at))
        return ach_errstr_set(ACH_EINVAL, "the line ends before %u elements of %s", *n, f->name);
    *at = drv_words_memory(w, *n, element_size(f));
    return *at ? read_elements(w, f, *at, *n) : ACH_FAILED_SYSCALL;
}

static ach_status_t read_variable(struct drv_words *w, const ach_field_t *f, char *body)
{
    bool packed = f->kind == ACH_KIND_CHAR || is_bytes(f);
    char *at = NULL;
    uint32_t n = 0;
    ach_status_t status = packed ? generic_read_bytes(w, f, &at, &n) : read_array(w, f, &at, &n);

    if (status != ACH_OK)
        return status;
    memcpy(body + f->count_offset, &n, sizeof(n));
    memcpy(body + f->offset, &at, sizeof(at));
    return ACH_OK;
}

static ach_status_t read_name(struct drv_words *w, const ach_field_t *f, char *to)
{
    size_t length;
    char *from;
    ach_status_t status = drv_words_quoted(w, &from, &length);

    if (status != ACH_OK)
        return status;
    if (length > f->limit)
        return generic_too_many(f);
    memcpy(to, from, length);
    return ACH_OK;
}

ach_status_t drv_generic_read(struct drv_words *w, const ach_type_t *type, void *body)
{
    ach_status_t status = ACH_OK;
    char *b = body;
    uint32_t i;

    for (i = 0; i < type->field_count && status == ACH_OK; i++) {
        const ach_field_t *f = &type->fields[i];

        if (f->array == ACH_ARRAY_VARIABLE)
            status = read_variable(w, f, b);
        else if (f->kind == ACH_KIND_CHAR)
            status = read_name(w, f, b + f->offset);
        else if (f->array != ACH_ARRAY_COUNT)
            status = read_elements(w, f, b + f->offset, f->limit);
    }
    return status;
}
