/* SPDX-License-Identifier: BSD-3-Clause */
/* csv_format.c - values as cells of CSV, RFC 4180 */
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "printable.h"

static bool csv_needs_quotes(const char *text, size_t size)
{
    return memchr(text, ',', size) || memchr(text, '"', size) || (size && *text == ' ') ||
           (size && text[size - 1] == ' ');
}

void value_csv_text(const char *text, size_t size, FILE *to)
{
    bool quotes = csv_needs_quotes(text, size);
    size_t i = 0;

    fputs(quotes ? "\"" : "", to);
    while (i < size) {
        size_t n = printable_length(text + i, size - i);

        if (text[i] == '"')
            fputs("\"\"", to);
        else if (text[i] == '\\')
            fputs("\\\\", to);
        else if (n)
            fwrite(text + i, 1, n, to);
        else
            fprintf(to, "\\x%02x", (unsigned char)text[i]);
        i += n ? n : 1;
    }
    fputs(quotes ? "\"" : "", to);
}

/* JSON has no control characters, but quotes and backslashes, which JSON already escapes. */
static void csv_json(const struct value *v, FILE *to)
{
    char *text = NULL;
    size_t size = 0, i;
    FILE *f = open_memstream(&text, &size);

    if (f) {
        value_json(v, f);
        fclose(f);
    }
    putc('"', to);
    for (i = 0; i < size; i++) {
        putc(text[i], to);
        if (text[i] == '"')
            putc('"', to);
    }
    putc('"', to);
    free(text);
}

void value_csv(const struct value *v, FILE *to)
{
    char text[VALUE_SCALAR_TEXT];

    switch (v->kind) {
    case VALUE_NULL:
        break;
    case VALUE_TEXT:
    case VALUE_ENUM:
    case VALUE_WORD:
        value_csv_text(v->text, v->count, to);
        break;
    case VALUE_LIST:
    case VALUE_PACKED:
    case VALUE_OBJECT:
        csv_json(v, to);
        break;
    case VALUE_BYTES:
    case VALUE_NUMBER:
        value_json(v, to);
        break;
    default:
        fputs(value_scalar_text(v, true, text), to);
        break;
    }
}
