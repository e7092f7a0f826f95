/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_body.h"

#include "check.h"

#include <ach/interface/common.h>

static void *piece(struct random_body *r, size_t n)
{
    if (r->piece_count == r->piece_room) {
        r->piece_room = r->piece_room * 2 + 64;
        r->pieces = realloc(r->pieces, r->piece_room * sizeof(*r->pieces));
        REQUIRE(r->pieces);
    }
    r->pieces[r->piece_count] = calloc(1, n);
    REQUIRE(r->pieces[r->piece_count]);
    return r->pieces[r->piece_count++];
}

static size_t scalar_size(unsigned kind)
{
    static const uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 1};

    return sizes[kind];
}

static void fill_bytes(struct random_body *r, uint8_t *at, size_t n)
{
    uint64_t v;

    for (; n >= 8; n -= 8, at += 8) {
        v = check_random(&r->seed);
        memcpy(at, &v, 8);
    }
    for (; n; n--)
        *at++ = (uint8_t)check_random(&r->seed);
}

static void fill_reals(struct random_body *r, unsigned kind, uint8_t *at, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        double d = (double)(int64_t)check_random(&r->seed) / (double)(check_random(&r->seed) >> 20);
        float f = (float)d;

        memcpy(at + scalar_size(kind) * i, kind == ACH_KIND_FLOAT ? (void *)&f : (void *)&d,
               scalar_size(kind));
    }
}

static void fill_text(struct random_body *r, uint8_t *at, size_t n, bool variable)
{
    size_t i;

    for (i = 0; i < n; i++)
        at[i] = (uint8_t)(' ' + check_random(&r->seed) % 95);
    if (variable && n)
        at[n - 1] = 0;
}

static void fill_booleans(struct random_body *r, uint8_t *at, size_t n)
{
    while (n)
        at[--n] = check_random(&r->seed) % 2;
}

static void fill_struct(struct random_body *r, const ach_type_t *type, uint8_t *body);

static void fill(struct random_body *r, const ach_field_t *f, uint8_t *at, uint32_t n)
{
    uint32_t i;

    if (f->type)
        for (i = 0; i < n; i++)
            fill_struct(r, f->type, at + (size_t)f->type->body_size * i);
    else if (f->kind == ACH_KIND_BOOL)
        fill_booleans(r, at, n);
    else if (r->readable && f->kind == ACH_KIND_CHAR)
        fill_text(r, at, n, f->array == ACH_ARRAY_VARIABLE);
    else if (r->readable && (f->kind == ACH_KIND_FLOAT || f->kind == ACH_KIND_DOUBLE))
        fill_reals(r, f->kind, at, n);
    else
        fill_bytes(r, at, scalar_size(f->kind) * n);
}

static uint32_t some_count(struct random_body *r, const ach_field_t *f)
{
    uint64_t n = check_random(&r->seed) % 8;

    if (f == r->at)
        return r->count;
    if (r->at)
        n %= 2;
    if (n == 7)
        n = check_random(&r->seed) % 100;
    return n < f->limit ? (uint32_t)n : f->limit;
}

static void fill_struct(struct random_body *r, const ach_type_t *type, uint8_t *body)
{
    uint32_t i, n;
    void *p;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (f->array == ACH_ARRAY_VARIABLE) {
            n = some_count(r, f);
            p = n ? piece(r, (f->type ? f->type->body_size : scalar_size(f->kind)) * n) : NULL;
            memcpy(body + f->count_offset, &n, sizeof(n));
            memcpy(body + f->offset, &p, sizeof(p));
            fill(r, f, p, n);
        } else if (f->array != ACH_ARRAY_COUNT) {
            fill(r, f, body + f->offset, f->limit);
        }
    }
}

void *random_body_make(struct random_body *r, const ach_type_t *type)
{
    void *body;

    r->piece_count = 0;
    body = piece(r, type->body_size);
    fill_struct(r, type, body);
    return body;
}

void random_body_free(struct random_body *r)
{
    while (r->piece_count)
        free(r->pieces[--r->piece_count]);
}

static unsigned each_of(const ach_interface_t *interface,
                        void (*f)(const ach_interface_t *, const ach_message_def_t *))
{
    uint32_t i;

    for (i = 0; i < interface->message_count; i++)
        if (interface->messages[i].body)
            f(interface, &interface->messages[i]);
    return interface->message_count;
}

unsigned random_body_each(void (*f)(const ach_interface_t *, const ach_message_def_t *))
{
    const ach_interface_t *interface;
    unsigned n = each_of(&ach_common_interface, f);
    size_t i;

    for (i = 0; (interface = ach_interface_at(i)); i++)
        n += each_of(interface, f);
    return n;
}
