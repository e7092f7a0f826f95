/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_body.h"

#include <math.h>

#include "check.h"

struct memory {
    void *pieces[65536];
    unsigned count;
};

static double random_real(uint64_t *random)
{
    uint64_t r = check_random(random);

    switch (r % 16) {
    case 0:
        return 0;
    case 1:
        return -0.0;
    case 2:
        return r & 256 ? NAN : -INFINITY;
    case 3:
        return ldexp(1, (int)(r >> 8) % 60);
    case 4:
        return -1e-9;
    default:
        return ((double)(r >> 11) / 9007199254740992.0 - 0.5) * 200;
    }
}

static void random_scalar(uint8_t kind, void *at, uint64_t *random)
{
    uint64_t r = check_random(random) >> (check_random(random) % 60);

    switch (kind) {
    case ACH_KIND_INT8:
    case ACH_KIND_UINT8:
        memcpy(at, &r, 1);
        break;
    case ACH_KIND_CHAR:
        *(char *)at = (char)(1 + r % 255);
        break;
    case ACH_KIND_INT16:
    case ACH_KIND_UINT16:
        memcpy(at, &r, 2);
        break;
    case ACH_KIND_INT32:
    case ACH_KIND_UINT32:
        memcpy(at, &r, 4);
        break;
    case ACH_KIND_FLOAT:
        memcpy(at, &(float){(float)random_real(random)}, 4);
        break;
    case ACH_KIND_DOUBLE:
        memcpy(at, &(double){random_real(random)}, 8);
        break;
    default:
        memcpy(at, &r, 8);
    }
}

static size_t size_of(const ach_field_t *f)
{
    static const uint8_t sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

    return f->kind == ACH_KIND_STRUCT ? f->type->body_size : sizes[f->kind];
}

static void fill(const ach_type_t *type, char *body, uint64_t *random, uint32_t most,
                 struct memory *m);

static void fill_elements(const ach_field_t *f, char *at, uint32_t n, uint64_t *random,
                          uint32_t most, struct memory *m)
{
    uint32_t i;

    for (i = 0; i < n; i++) {
        if (f->kind == ACH_KIND_STRUCT)
            fill(f->type, at + i * size_of(f), random, most / 2, m);
        else
            random_scalar(f->kind, at + i * size_of(f), random);
    }
}

static void fill_variable(const ach_field_t *f, char *body, uint64_t *random, uint32_t most,
                          struct memory *m)
{
    uint32_t n = (uint32_t)(check_random(random) % (most + 1));
    char *at;

    n = n < f->limit ? n : f->limit;
    if (f->kind == ACH_KIND_CHAR && !n)
        n = 1;
    at = calloc(n ? n : 1, size_of(f));
    REQUIRE(at && m->count < 65536);
    m->pieces[m->count++] = at;
    fill_elements(f, at, n, random, most, m);
    if (f->kind == ACH_KIND_CHAR)
        at[n - 1] = 0;
    memcpy(body + f->offset, &at, sizeof(at));
    memcpy(body + f->count_offset, &n, sizeof(n));
}

static void fill(const ach_type_t *type, char *body, uint64_t *random, uint32_t most,
                 struct memory *m)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (f->array == ACH_ARRAY_VARIABLE)
            fill_variable(f, body, random, most, m);
        else if (f->array == ACH_ARRAY_FIXED && f->kind == ACH_KIND_CHAR)
            fill_elements(f, body + f->offset, (uint32_t)(check_random(random) % f->limit), random,
                          most, m);
        else if (f->array != ACH_ARRAY_COUNT)
            fill_elements(f, body + f->offset, f->limit, random, most, m);
    }
}

void *random_body(const ach_type_t *type, uint64_t *random, uint32_t most)
{
    struct memory *m = calloc(1, sizeof(*m));
    char *body = calloc(1, type->body_size);
    void *copy = NULL;

    REQUIRE(m && body);
    fill(type, body, random, most, m);
    REQUIRE_OK(ach_body_copy(type, body, &copy));
    while (m->count)
        free(m->pieces[--m->count]);
    free(m);
    free(body);
    return copy;
}
