/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yaml_format.c - values as YAML
 *
 * Lists of scalars are on one line, in brackets. Strings that could be taken for something else are
 * quoted, as in JSON.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "format.h"
#include "json_text.h"

/* Words that YAML takes for null or a boolean. No parser does so with y and n, as YAML 1.1 says. */
static bool yaml_reserved(const char *text, size_t size)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no", "on", "off", ""};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == size && strncasecmp(words[i], text, size) == 0)
            return true;
    return false;
}

static void yaml_text(const char *text, size_t size, FILE *to)
{
    bool plain = !yaml_reserved(text, size) && (isalpha((unsigned char)text[0]) || *text == '_');
    size_t i;

    for (i = 0; plain && i < size; i++)
        plain = isalnum((unsigned char)text[i]) || (text[i] && strchr("_-./", text[i]));
    if (plain)
        fwrite(text, 1, size, to);
    else
        json_text_write(to, text, size);
}

/* In YAML 1.1 a number with an exponent has a point and a sign. */
static void yaml_real(double real, const char *text, FILE *to)
{
    const char *e = strchr(text, 'e');

    if (isnan(real))
        fputs(".nan", to);
    else if (isinf(real))
        fputs(real < 0 ? "-.inf" : ".inf", to);
    else if (e && !strchr(text, '.'))
        fprintf(to, "%.*s.0%s", (int)(e - text), text, e);
    else
        fputs(text, to);
}

static void yaml_scalar(const struct value *v, FILE *to)
{
    char text[VALUE_SCALAR_TEXT];
    struct value number = *v;

    if (v->kind == VALUE_TEXT || v->kind == VALUE_ENUM || v->kind == VALUE_WORD) {
        yaml_text(v->text, v->count, to);
    } else if (v->kind == VALUE_FLOAT || v->kind == VALUE_DOUBLE) {
        yaml_real(v->real, value_scalar_text(v, true, text), to);
    } else if (v->kind == VALUE_NUMBER &&
               (memchr(v->text, 'e', v->count) || memchr(v->text, 'E', v->count))) {
        value_real(v, &number.real);
        number.kind = VALUE_DOUBLE;
        yaml_real(number.real, value_scalar_text(&number, true, text), to);
    } else {
        value_json(v, to); /* bytes, whole numbers, booleans and null are the same */
    }
}

static bool yaml_nested(const struct value *v)
{
    return v->kind == VALUE_OBJECT || value_is_list(v);
}

static bool yaml_is_block(const struct value *v)
{
    size_t i;

    if (v->kind != VALUE_LIST)
        return v->kind == VALUE_OBJECT && v->count;
    for (i = 0; i < v->count; i++)
        if (yaml_nested(&v->items[i]))
            return true;
    return false;
}

static void yaml_flow(const struct value *v, FILE *to)
{
    size_t i;

    putc('[', to);
    for (i = 0; i < v->count; i++) {
        struct value item = value_item(v, i);

        fputs(i ? ", " : "", to);
        yaml_scalar(&item, to);
    }
    putc(']', to);
}

/* The first line is indented already. */
static void yaml_block(const struct value *v, int indent, FILE *to);

/* After "name:" or "-". */
static void yaml_value(const struct value *v, int indent, bool member, FILE *to)
{
    if (yaml_is_block(v)) {
        /* The lines of an item begin behind its dash, those of a member below its name. */
        if (member)
            fprintf(to, "\n%*s", indent + 2, "");
        else
            putc(' ', to);
        yaml_block(v, indent + 2, to);
        return;
    }
    putc(' ', to);
    if (value_is_list(v))
        yaml_flow(v, to);
    else if (v->kind == VALUE_OBJECT)
        fputs("{}", to);
    else
        yaml_scalar(v, to);
    putc('\n', to);
}

static void yaml_block(const struct value *v, int indent, FILE *to)
{
    bool object = v->kind == VALUE_OBJECT;
    size_t i;

    for (i = 0; i < v->count; i++) {
        if (i)
            fprintf(to, "%*s", indent, "");
        if (object)
            yaml_text(v->items[i].name.at, v->items[i].name.size, to);
        putc(object ? ':' : '-', to);
        yaml_value(&v->items[i], indent, object, to);
    }
}

void value_yaml(const struct value *v, FILE *to)
{
    if (yaml_is_block(v))
        yaml_block(v, 0, to);
    else if (v->kind == VALUE_OBJECT)
        fputs("{}\n", to);
    else {
        if (value_is_list(v))
            yaml_flow(v, to);
        else
            yaml_scalar(v, to);
        putc('\n', to);
    }
}
