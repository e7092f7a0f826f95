/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c - bodies as human-readable lines */
#include "scalar.h"
#include "text.h"

#include <string.h>

#include "../../util/printable.h"

static void print_string(const char *text, uint32_t n, FILE *to)
{
    printable_quoted(to, text, n && text[n - 1] == 0 ? n - 1 : n);
}

static void print_scalars(const ach_field_t *f, const uint8_t *at, uint32_t n, FILE *to)
{
    size_t size = xdr_field_element_size(f);
    uint32_t i;

    if (f->array != ACH_ARRAY_NONE)
        fprintf(to, "[%u]%s", n, n ? " " : "");
    for (i = 0; i < n && i < PRINTABLE_ITEMS; i++) {
        if (i)
            fputc(' ', to);
        xdr_print_scalar(f->kind, at + size * i, false, to);
    }
    if (i < n)
        fputs(" ...", to);
}

/* Scalars only, so that it fits on a line. */
static bool is_flat(const ach_type_t *type)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++)
        if (type->fields[i].array != ACH_ARRAY_NONE || type->fields[i].type)
            return false;
    return true;
}

static void print_flat(const ach_type_t *type, const uint8_t *body, FILE *to)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        fprintf(to, "%s%s=", i ? " " : "", f->name);
        xdr_print_scalar(f->kind, body + f->offset, false, to);
    }
}

/* After the name: on the same line, with the name padded to @width, or on lines of its own. */
static void print_struct(const char *name, int width, const ach_type_t *type, const uint8_t *body,
                         unsigned indent, FILE *to)
{
    if (is_flat(type)) {
        fprintf(to, "%*s%-*s ", (int)indent, "", width, name);
        print_flat(type, body, to);
        fputc('\n', to);
    } else {
        fprintf(to, "%*s%s\n", (int)indent, "", name);
        ach_body_print(type, body, indent + 2, to);
    }
}

/* The values of structs that have one field without a name. */
static void print_values(const ach_field_t *f, const uint8_t *at, uint32_t n, FILE *to)
{
    const ach_field_t *value = xdr_value_field(f->type);
    uint32_t i;

    fprintf(to, "[%u]", n);
    for (i = 0; i < n && i < PRINTABLE_ITEMS; i++) {
        const uint8_t *body = at + (size_t)f->type->body_size * i;

        fputc(' ', to);
        if (value->kind == ACH_KIND_CHAR)
            print_string((const char *)xdr_field_elements(value, body),
                         xdr_field_count(value, body), to);
        else
            print_scalars(value, xdr_field_elements(value, body), xdr_field_count(value, body), to);
    }
    fputs(i < n ? " ...\n" : "\n", to);
}

static void print_structs(const ach_field_t *f, const uint8_t *at, uint32_t n, unsigned indent,
                          FILE *to)
{
    char number[16];
    uint32_t i;

    fprintf(to, "[%u]\n", n);
    for (i = 0; i < n && i < PRINTABLE_ITEMS; i++) {
        snprintf(number, sizeof(number), "[%u]", i);
        print_struct(number, 0, f->type, at + (size_t)f->type->body_size * i, indent + 2, to);
    }
    if (i < n)
        fprintf(to, "%*s...\n", (int)indent + 2, "");
}

static void print_field(const ach_field_t *f, const uint8_t *body, unsigned indent, int width,
                        FILE *to)
{
    uint32_t n = xdr_field_count(f, body);
    const uint8_t *at = xdr_field_elements(f, body);

    if (f->type && f->array == ACH_ARRAY_NONE) {
        print_struct(f->name, width, f->type, at, indent, to);
        return;
    }
    fprintf(to, "%*s%-*s ", (int)indent, "", width, f->name);
    if (f->type) {
        if (xdr_value_field(f->type))
            print_values(f, at, n, to);
        else
            print_structs(f, at, n, indent, to);
    } else if (f->kind == ACH_KIND_CHAR) {
        print_string((const char *)at,
                     f->array == ACH_ARRAY_FIXED ? (uint32_t)strnlen((const char *)at, n) : n, to);
        fputc('\n', to);
    } else {
        print_scalars(f, at, n, to);
        fputc('\n', to);
    }
}

void ach_body_print(const ach_type_t *type, const void *body, unsigned indent, FILE *to)
{
    locale_t before = xdr_locale_enter();
    int width = 0;
    uint32_t i;

    for (i = 0; i < type->field_count; i++)
        if (type->fields[i].array != ACH_ARRAY_COUNT && (int)strlen(type->fields[i].name) > width)
            width = (int)strlen(type->fields[i].name);
    for (i = 0; i < type->field_count; i++)
        if (type->fields[i].array != ACH_ARRAY_COUNT)
            print_field(&type->fields[i], body, indent, width, to);
    xdr_locale_leave(before);
}
