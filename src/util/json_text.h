/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_text.h - write a JSON string
 *
 * The only code that escapes JSON. It is a header, so that libraries can use it without
 * exporting a symbol.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "printable.h"

static inline void json_text_character(FILE *out, const char *c, size_t n)
{
    if (n == 0)
        fputs("\xef\xbf\xbd", out); /* U+FFFD; unescaped, as it is when it is written again */
    else if (is_control(c, n))
        fprintf(out, "\\u%04x", (unsigned char)c[n - 1]);
    else if (*c == '"' || *c == '\\')
        fprintf(out, "\\%c", *c);
    else
        fwrite(c, 1, n, out);
}

/* In quotes. Bytes that are not UTF-8 become U+FFFD. */
static inline void json_text_write(FILE *out, const char *text, size_t len)
{
    size_t i = 0;

    putc('"', out);
    while (i < len) {
        size_t n = utf8_length(text + i, len - i);

        json_text_character(out, text + i, n);
        i += n ? n : 1;
    }
    putc('"', out);
}

#endif
