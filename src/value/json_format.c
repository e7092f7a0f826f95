/* SPDX-License-Identifier: BSD-3-Clause */
/* json_format.c - values as JSON */
#include <math.h>

#include "base64.h"
#include "format.h"
#include "json_text.h"

static void json_nest(const struct value *v, FILE *to)
{
    bool object = v->kind == VALUE_OBJECT;
    size_t i;

    putc(object ? '{' : '[', to);
    for (i = 0; i < v->count; i++) {
        struct value item = value_item(v, i);

        fputs(i ? ", " : "", to);
        if (object) {
            json_text_write(to, item.name.at, item.name.size);
            fputs(": ", to);
        }
        value_json(&item, to);
    }
    putc(object ? '}' : ']', to);
}

static void json_scalar(const struct value *v, FILE *to)
{
    bool real = v->kind == VALUE_FLOAT || v->kind == VALUE_DOUBLE;
    char text[VALUE_SCALAR_TEXT];

    if (real && isnan(v->real))
        fputs("null", to);
    else if (real && isinf(v->real))
        fputs(v->real < 0 ? "-1e999" : "1e999", to);
    else
        fputs(value_scalar_text(v, true, text), to);
}

void value_json(const struct value *v, FILE *to)
{
    switch (v->kind) {
    case VALUE_LIST:
    case VALUE_PACKED:
    case VALUE_OBJECT:
        json_nest(v, to);
        break;
    case VALUE_TEXT:
    case VALUE_ENUM:
    case VALUE_WORD:
        json_text_write(to, v->text, v->count);
        break;
    case VALUE_BYTES:
        putc('"', to);
        value_base64_write((const uint8_t *)v->text, v->count, to);
        putc('"', to);
        break;
    case VALUE_NUMBER:
        fwrite(v->text, 1, v->count, to);
        break;
    default:
        json_scalar(v, to);
        break;
    }
}
