/* SPDX-License-Identifier: BSD-3-Clause */
/* json_write.c - bodies as JSON */
#include "text.h"

#include <string.h>

/* The length of the UTF-8 character at the text, or 0 when there is none. */
static uint32_t utf8_length(const unsigned char *s, uint32_t left)
{
    uint32_t n, i, c = s[0];
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (c < 0x80)
        return 1;
    n = c >= 0xf8 ? 0 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    if (n == 0 || n > left)
        return 0;
    c &= 0x7fu >> n;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

static void write_character(const unsigned char *s, uint32_t n, FILE *to)
{
    if (n > 1)
        fwrite(s, 1, n, to);
    else if (*s == '"' || *s == '\\')
        fprintf(to, "\\%c", *s);
    else if (*s < 0x20 || *s == 0x7f)
        fprintf(to, "\\u%04x", *s);
    else if (*s >= 0x80)
        fprintf(to, "%c%c", 0xc0 | *s >> 6, 0x80 | (*s & 0x3f));
    else
        fputc(*s, to);
}

/* Up to its final NUL; one in the middle is kept. A string without even a NUL is null. */
static void write_string(const ach_field_t *f, const unsigned char *s, uint32_t n, FILE *to)
{
    uint32_t i, length;

    if (f->array == ACH_ARRAY_VARIABLE && n == 0) {
        fputs("null", to);
        return;
    }
    if (f->array == ACH_ARRAY_FIXED)
        n = (uint32_t)strnlen((const char *)s, n);
    else if (s[n - 1] == 0)
        n--;
    fputc('"', to);
    for (i = 0; i < n; i += length) {
        length = utf8_length(s + i, n - i);
        write_character(s + i, length, to);
        length += length == 0;
    }
    fputc('"', to);
}

static void write_element(const ach_field_t *f, const uint8_t *at, FILE *to)
{
    if (f->kind == ACH_KIND_STRUCT)
        ach_body_json(f->type, at, to);
    else
        achi_print_scalar(f->kind, at, true, to);
}

static void write_field(const ach_field_t *f, const uint8_t *body, FILE *to)
{
    uint32_t i, n = achi_field_count(f, body);
    const uint8_t *at = achi_field_elements(f, body);
    size_t size = achi_field_element_size(f);

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
    locale_t before = achi_locale_enter();
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
    achi_locale_leave(before);
}
