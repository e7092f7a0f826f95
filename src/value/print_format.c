/* SPDX-License-Identifier: BSD-3-Clause */
/* print_format.c - values as lines for people */
#include <string.h>

#include "format.h"
#include "printable.h"

/* Longer names do not widen the column of names. */
#define WIDTH_MAX 40u

static void print_bytes(const struct value *v, FILE *to)
{
    size_t i;

    fprintf(to, "[%zu bytes]", v->count);
    for (i = 0; i < v->count && i < PRINTABLE_ITEMS; i++)
        fprintf(to, " %02x", (unsigned char)v->text[i]);
    fputs(i < v->count ? " ..." : "", to);
}

static void print_scalar(const struct value *v, FILE *to)
{
    char text[VALUE_SCALAR_TEXT];

    if (v->kind == VALUE_TEXT || v->kind == VALUE_WORD)
        printable_quoted(to, v->text, v->count);
    else if (v->kind == VALUE_BYTES)
        print_bytes(v, to);
    else if (v->kind == VALUE_NUMBER || v->kind == VALUE_ENUM)
        fwrite(v->text, 1, v->count, to);
    else
        fputs(value_scalar_text(v, false, text), to);
}

static bool is_nested(const struct value *v)
{
    return v->kind == VALUE_OBJECT || value_is_list(v);
}

/* Numbers only, so that it fits on a line. */
static bool is_flat(const struct value *v)
{
    size_t i;

    for (i = 0; i < v->count; i++) {
        unsigned kind = v->items[i].kind;

        if (is_nested(&v->items[i]) || kind == VALUE_TEXT || kind == VALUE_BYTES)
            return false;
    }
    return true;
}

/* A name may come from the message. Padded to a width. */
static void print_name(struct value_text name, size_t width, FILE *to)
{
    size_t i = 0;

    while (i < name.size) {
        size_t n = printable_length(name.at + i, name.size - i);

        fwrite(n ? name.at + i : "?", 1, n ? n : 1, to);
        i += n ? n : 1;
    }
    fprintf(to, "%*s", (int)(width > name.size ? width - name.size : 0), "");
}

static void print_flat(const struct value *v, FILE *to)
{
    size_t i;

    for (i = 0; i < v->count; i++) {
        fputs(i ? " " : "", to);
        print_name(v->items[i].name, 0, to);
        putc('=', to);
        print_scalar(&v->items[i], to);
    }
}

static void print_members(const struct value *v, unsigned indent, FILE *to);

/* After the name: on the same line, with the name padded to a width, or on lines of its own. */
static void print_object(struct value_text name, size_t width, const struct value *v,
                         unsigned indent, FILE *to)
{
    fprintf(to, "%*s", (int)indent, "");
    if (is_flat(v)) {
        print_name(name, width, to);
        putc(' ', to);
        print_flat(v, to);
        putc('\n', to);
    } else {
        print_name(name, 0, to);
        putc('\n', to);
        print_members(v, indent + 2, to);
    }
}

static void print_value(const struct value *v, unsigned indent, FILE *to);

static void print_item(const struct value *v, size_t index, unsigned indent, FILE *to)
{
    char number[32];
    int n = snprintf(number, sizeof(number), "[%zu]", index);

    if (v->kind == VALUE_OBJECT) {
        print_object((struct value_text){number, (size_t)n}, 0, v, indent, to);
        return;
    }
    fprintf(to, "%*s%s ", (int)indent, "", number);
    print_value(v, indent, to);
}

static bool has_nested(const struct value *list)
{
    size_t i;

    for (i = 0; list->kind == VALUE_LIST && i < list->count; i++)
        if (is_nested(&list->items[i]))
            return true;
    return false;
}

/* At the end of a line, and on the lines that follow. */
static void print_list(const struct value *v, unsigned indent, FILE *to)
{
    bool lines = has_nested(v);
    size_t i;

    fprintf(to, lines ? "[%zu]\n" : "[%zu]", v->count);
    for (i = 0; i < v->count && i < PRINTABLE_ITEMS; i++) {
        struct value item = value_item(v, i);

        if (lines) {
            print_item(&item, i, indent + 2, to);
        } else {
            putc(' ', to);
            print_scalar(&item, to);
        }
    }
    if (i < v->count && lines)
        fprintf(to, "%*s...", (int)indent + 2, "");
    else if (i < v->count)
        fputs(" ...", to);
    if (!lines || i < v->count)
        putc('\n', to);
}

/* A list or a scalar, to the end of its line. */
static void print_value(const struct value *v, unsigned indent, FILE *to)
{
    if (value_is_list(v)) {
        print_list(v, indent, to);
    } else {
        print_scalar(v, to);
        putc('\n', to);
    }
}

static void print_members(const struct value *v, unsigned indent, FILE *to)
{
    size_t i, width = 0;

    for (i = 0; i < v->count; i++)
        if (v->items[i].name.size > width && v->items[i].name.size <= WIDTH_MAX)
            width = v->items[i].name.size;
    for (i = 0; i < v->count; i++) {
        const struct value *member = &v->items[i];

        if (member->kind == VALUE_OBJECT) {
            print_object(member->name, width, member, indent, to);
            continue;
        }
        fprintf(to, "%*s", (int)indent, "");
        print_name(member->name, width, to);
        putc(' ', to);
        print_value(member, indent, to);
    }
}

void value_print(const struct value *v, unsigned indent, FILE *to)
{
    if (v->kind == VALUE_OBJECT) {
        print_members(v, indent, to);
        return;
    }
    fprintf(to, "%*s", (int)indent, "");
    print_value(v, indent, to);
}
