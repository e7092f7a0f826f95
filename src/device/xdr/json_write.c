/* SPDX-License-Identifier: BSD-3-Clause */
/* json_write.c - bodies as JSON */
#include <string.h>

#include "../../util/json_text.h"
#include "scalar.h"
#include "text.h"

/* A variable string is written without its final NUL, but with NULs before it; count 0: null. */
static void write_string(const ach_field_t *f, const unsigned char *s, uint32_t n, FILE *to)
{
    if (f->array == ACH_ARRAY_VARIABLE && n == 0) {
        fputs("null", to);
        return;
    }
    if (f->array == ACH_ARRAY_FIXED)
        n = (uint32_t)strnlen((const char *)s, n);
    else if (s[n - 1] == 0)
        n--;
    json_text_write(to, (const char *)s, n);
}

static void write_field(const ach_field_t *f, const uint8_t *body, FILE *to);

static void write_element(const ach_field_t *f, const uint8_t *at, FILE *to)
{
    const ach_field_t *value = f->type ? xdr_value_field(f->type) : NULL;

    if (value)
        write_field(value, at, to);
    else if (f->type)
        ach_body_json(f->type, at, to);
    else
        xdr_print_scalar(f->kind, at, true, to);
}

static void write_field(const ach_field_t *f, const uint8_t *body, FILE *to)
{
    uint32_t i, n = xdr_field_count(f, body);
    const uint8_t *at = xdr_field_elements(f, body);
    size_t size = xdr_field_element_size(f);

    if (f->kind == ACH_KIND_CHAR) {
        write_string(f, at, n, to);
        return;
    }
    if (f->array == ACH_ARRAY_NONE) {
        write_element(f, at, to);
        return;
    }
    fputc('[', to);
    for (i = 0; i < n; i++) {
        if (i)
            fputs(", ", to);
        write_element(f, at + size * i, to);
    }
    fputc(']', to);
}

void ach_body_json(const ach_type_t *type, const void *body, FILE *to)
{
    locale_t before = xdr_locale_enter();
    const char *between = "";
    uint32_t i;

    fputc('{', to);
    for (i = 0; i < type->field_count; i++) {
        if (type->fields[i].array == ACH_ARRAY_COUNT)
            continue;
        fprintf(to, "%s\"%s\": ", between, type->fields[i].name);
        write_field(&type->fields[i], body, to);
        between = ", ";
    }
    fputc('}', to);
    xdr_locale_leave(before);
}
