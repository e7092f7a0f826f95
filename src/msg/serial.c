/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serial.c - messages as bytes, by their tables
 *
 * Decoding goes over the bytes twice. The first pass only computes the memory that the
 * body needs, and finds out whether the bytes are such a message; the second one fills it in,
 * with the same checks, because the bytes may have changed. So memory is allocated only for
 * what is there.
 */
#include "serial.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../device/xdr/scalar.h"
#include "tables.h"

#define PADDING_MAX 7u
#define MEMORY_PER_BYTE 64u

/* Copy n little-endian values of one size; to and from may be unaligned. */
static void copy_values(uint8_t *to, const uint8_t *from, uint32_t size, uint64_t n)
{
#if __BYTE_ORDER == __BIG_ENDIAN
    uint64_t i;
    uint32_t k;

    for (i = 0; i < n; i++)
        for (k = 0; k < size; k++)
            to[size * i + k] = from[size * i + size - 1 - k];
#else
    if (n)
        memcpy(to, from, (size_t)(size * n));
#endif
}

static bool all_booleans(const uint8_t *at, uint64_t n)
{
    uint64_t i;

    for (i = 0; i < n; i++)
        if (at[i] > 1)
            return false;
    return true;
}

/* A string as an element of an array has no name of its own. */
static enum ach_status wrong(enum ach_status status, const ach_type_t *type, const ach_field_t *f,
                             const char *what)
{
    return ach_errstr_set(status, "%s%s%s: %s", type->name, *f->name ? "." : "", f->name, what);
}

static uint64_t serial_aligned(struct msg_serial_form form, uint64_t at, uint64_t align)
{
    return form.packed ? at : (at + align - 1) & ~(align - 1);
}

/* Is it the byte of an empty message, which the encoding does not have? */
static bool serial_omits(struct msg_serial_form form, const ach_field_t *f)
{
    return form.packed && f->name == msg_empty_field;
}

/* Encoding. */

/* to NULL: only count. */
struct serial_writer {
    struct msg_serial_form form;
    uint8_t *to;
    uint64_t used, room;
};

/* Write zeros up to a multiple of align, then room for n bytes. NULL if only counting. */
static enum ach_status write_room(struct serial_writer *w, uint64_t align, uint64_t n, uint8_t **at)
{
    uint64_t from = serial_aligned(w->form, w->used, align);

    if (from > w->room || n > w->room - from)
        return ach_errstr_set(ACH_OVERFLOW, "the message is larger than %llu bytes",
                              (unsigned long long)w->room);
    if (w->to)
        memset(w->to + w->used, 0, (size_t)(from - w->used));
    *at = w->to ? w->to + from : NULL;
    w->used = from + n;
    return ACH_OK;
}

static enum ach_status write_values(struct serial_writer *w, unsigned kind, const uint8_t *from,
                                    uint64_t n)
{
    uint32_t size = xdr_scalar_size(kind);
    uint8_t *at = NULL;
    enum ach_status status = write_room(w, n ? size : 1, size * n, &at);

    if (status == ACH_OK && at)
        copy_values(at, from, size, n);
    return status;
}

static enum ach_status write_struct(struct serial_writer *w, const ach_type_t *type,
                                    const uint8_t *body);

static enum ach_status write_elements(struct serial_writer *w, const ach_type_t *type,
                                      const ach_field_t *f, const uint8_t *at, uint32_t n)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    if (f->kind != ACH_KIND_STRUCT) {
        if (f->kind == ACH_KIND_BOOL && !all_booleans(at, n))
            return wrong(ACH_EINVAL, type, f, "a boolean is 0 or 1");
        return write_values(w, f->kind, at, n);
    }
    for (i = 0; status == ACH_OK && i < n; i++)
        status = write_struct(w, f->type, at + (size_t)f->type->body_size * i);
    return status;
}

/* A string has a NUL at its end; an empty one, of count 0, is that NUL alone. Without it if packed. */
static enum ach_status write_string(struct serial_writer *w, const ach_type_t *type,
                                    const ach_field_t *f, const uint8_t *at, uint32_t n)
{
    uint32_t count = (n ? n : 1) - w->form.packed;
    enum ach_status status;

    if (n && at[n - 1] != '\0')
        return wrong(ACH_EINVAL, type, f, "the string does not end in NUL");
    status = write_values(w, ACH_KIND_UINT32, (const uint8_t *)&count, 1);
    if (status != ACH_OK)
        return status;
    return write_values(w, ACH_KIND_CHAR, n ? at : (const uint8_t *)"", count);
}

static enum ach_status write_variable(struct serial_writer *w, const ach_type_t *type,
                                      const ach_field_t *f, const uint8_t *body)
{
    uint32_t n = xdr_field_count(f, body);
    const uint8_t *at;
    enum ach_status status;

    memcpy(&at, body + f->offset, sizeof(at));
    if (n > f->limit)
        return wrong(ACH_EINVAL, type, f, "its count is over the limit");
    if (n && !at)
        return wrong(ACH_EINVAL, type, f, "its count is not 0, but there are no elements");
    if (f->kind == ACH_KIND_CHAR)
        return write_string(w, type, f, at, n);
    status = write_values(w, ACH_KIND_UINT32, (const uint8_t *)&n, 1);
    return status == ACH_OK ? write_elements(w, type, f, at, n) : status;
}

static enum ach_status write_struct(struct serial_writer *w, const ach_type_t *type,
                                    const uint8_t *body)
{
    static const uint32_t none;
    enum ach_status status = ACH_OK;
    uint32_t i;

    if (type == w->form.header)
        status = write_values(w, ACH_KIND_UINT32, (const uint8_t *)&none, 1);

    for (i = 0; status == ACH_OK && i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (f->array == ACH_ARRAY_VARIABLE)
            status = write_variable(w, type, f, body);
        else if (f->array != ACH_ARRAY_COUNT && !serial_omits(w->form, f))
            status = write_elements(w, type, f, body + f->offset, f->limit);
    }
    return status;
}

enum ach_status msg_serial_encode(struct msg_serial_form form, const ach_type_t *type,
                                  const void *body, void *buffer, size_t room, size_t *size)
{
    struct serial_writer w = {form, buffer, 0, room < ACH_BODY_MAX ? room : ACH_BODY_MAX};
    enum ach_status status = write_struct(&w, type, body);

    *size = (size_t)w.used;
    return status;
}

enum ach_status msg_serial_size(struct msg_serial_form form, const ach_type_t *type,
                                const void *body, size_t *size)
{
    enum ach_status status = msg_serial_encode(form, type, body, NULL, ACH_BODY_MAX, size);

    return status == ACH_OVERFLOW ? ACH_EINVAL : status;
}

/* Decoding. */

struct serial_reader {
    struct msg_serial_form form;
    const uint8_t *bytes;
    uint64_t at, size;
    struct xdr_block block; /* for the body */
};

/* Skip to a multiple of align, and take n bytes. NULL: there are not so many. */
static const uint8_t *read_bytes(struct serial_reader *r, uint64_t align, uint64_t n)
{
    uint64_t from = serial_aligned(r->form, r->at, align);

    if (from > r->size || n > r->size - from)
        return NULL;
    r->at = from + n;
    return r->bytes + from;
}

static enum ach_status read_struct(struct serial_reader *r, const ach_type_t *type, uint8_t *body);

static enum ach_status read_elements(struct serial_reader *r, const ach_type_t *type,
                                     const ach_field_t *f, uint8_t *to, uint32_t n)
{
    enum ach_status status = ACH_OK;
    uint32_t i, size = xdr_scalar_size(f->kind);
    const uint8_t *from;

    if (f->kind == ACH_KIND_STRUCT) {
        for (i = 0; status == ACH_OK && i < n; i++)
            status = read_struct(r, f->type, to ? to + (size_t)f->type->body_size * i : NULL);
        return status;
    }
    from = read_bytes(r, n ? size : 1, (uint64_t)size * n);
    if (!from)
        return wrong(ACH_CORRUPT, type, f, "the message ends before it");
    if (to)
        copy_values(to, from, size, n);
    if (f->kind == ACH_KIND_BOOL && !all_booleans(to ? to : from, n))
        return wrong(ACH_CORRUPT, type, f, "a boolean is neither 0 nor 1");
    if (f->kind == ACH_KIND_CHAR && !r->form.packed && (to ? to : from)[n - 1] != '\0')
        return wrong(ACH_CORRUPT, type, f, "the string does not end in NUL");
    return ACH_OK;
}

/*
 * Every element has at least one byte. A packed string gets its NUL here, and so does an empty
 * string in CDR, which some programs write without it.
 */
static enum ach_status read_variable(struct serial_reader *r, const ach_type_t *type,
                                     const ach_field_t *f, uint8_t *body)
{
    const uint8_t *count = read_bytes(r, sizeof(uint32_t), sizeof(uint32_t));
    bool string = f->kind == ACH_KIND_CHAR;
    uint8_t *to = NULL;
    uint32_t n, kept;
    uint64_t size;

    if (!count)
        return wrong(ACH_CORRUPT, type, f, "the message ends before it");
    memcpy(&n, count, sizeof(n));
    n = le32toh(n);
    if (n > f->limit - (string && r->form.packed))
        return wrong(ACH_CORRUPT, type, f, "its count is over the limit");
    if (n > r->size - r->at)
        return wrong(ACH_CORRUPT, type, f, "the message is too short for its count");
    kept = string && (!n || r->form.packed) ? n + 1 : n;
    size = xdr_field_element_size(f);
    if (kept && !xdr_block_take(&r->block, size * kept, f->type ? f->type->body_align : size, &to))
        return wrong(ACH_CORRUPT, type, f,
                     r->block.out ? "the message changed while it was decoded"
                                  : "it has too many elements for the size of the message");
    if (body) {
        memcpy(body + f->offset, &to, sizeof(to));
        memcpy(body + f->count_offset, &kept, sizeof(kept));
    }
    if (to && kept != n)
        to[n] = '\0';
    return n ? read_elements(r, type, f, to, n) : ACH_OK;
}

static enum ach_status read_struct(struct serial_reader *r, const ach_type_t *type, uint8_t *body)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    if (type == r->form.header && !read_bytes(r, sizeof(uint32_t), sizeof(uint32_t)))
        return wrong(ACH_CORRUPT, type, type->fields, "the message ends before it");
    for (i = 0; status == ACH_OK && i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (f->array == ACH_ARRAY_VARIABLE)
            status = read_variable(r, type, f, body);
        else if (f->array != ACH_ARRAY_COUNT && !serial_omits(r->form, f))
            status = read_elements(r, type, f, body ? body + f->offset : NULL, f->limit);
    }
    return status;
}

static enum ach_status read_message(struct serial_reader *r, const ach_type_t *type)
{
    enum ach_status status;

    r->at = 0;
    r->block.used = type->body_size;
    status = read_struct(r, type, r->block.out);
    if (status == ACH_OK && r->size - r->at > (r->form.packed ? 0 : PADDING_MAX))
        return ach_errstr_set(ACH_CORRUPT, "%s: there are %llu bytes too many", type->name,
                              (unsigned long long)(r->size - r->at));
    return status;
}

/*
 * The first pass: the memory that the body needs is in r->block.used.
 *
 * A hostile definition can have large structs that take no bytes in a packed message. So the memory
 * of a packed message is limited by its size. Real messages stay far below the limit.
 */
static enum ach_status read_size(struct serial_reader *r, const ach_type_t *type)
{
    if (r->size > ACH_BODY_MAX)
        return ach_errstr_set(ACH_CORRUPT, "%s: a message of %llu bytes, at most %u are allowed",
                              type->name, (unsigned long long)r->size, ACH_BODY_MAX);
    r->block.room = r->form.packed ? type->body_size + MEMORY_PER_BYTE * r->size : UINT64_MAX / 2;
    return read_message(r, type);
}

enum ach_status msg_serial_check(struct msg_serial_form form, const ach_type_t *type,
                                 const void *bytes, size_t n, size_t *used)
{
    struct serial_reader r = {.form = form, .bytes = bytes, .size = n};
    enum ach_status status = read_size(&r, type);

    *used = (size_t)r.at;
    return status;
}

enum ach_status msg_serial_decode_new(struct msg_serial_form form, const ach_type_t *type,
                                      const void *bytes, size_t n, void **body)
{
    struct serial_reader r = {.form = form, .bytes = bytes, .size = n};
    enum ach_status status = read_size(&r, type);

    if (status != ACH_OK)
        return status;
    r.block.room = r.block.used;
    r.block.out = calloc(1, (size_t)r.block.room);
    if (!r.block.out)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "%s: no memory for %llu bytes", type->name,
                              (unsigned long long)r.block.room);
    status = read_message(&r, type);
    if (status == ACH_OK)
        *body = r.block.out;
    else
        free(r.block.out);
    return status;
}
