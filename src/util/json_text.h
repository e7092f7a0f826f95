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

/* Length of a UTF-8 character by its first byte; 0 if no character begins with it. */
static inline size_t utf8_announced(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* The length of the UTF-8 character that begins at text, 0 if none does. */
static inline size_t utf8_length(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t i, n = len ? utf8_announced(s[0]) : 0;

    if (n > len)
        return 0;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates, and code points beyond U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static inline void json_text_character(FILE *out, const char *c, size_t n)
{
    if (n == 0)
        fputs("\xef\xbf\xbd", out); /* U+FFFD; unescaped, as it is when it is written again */
    else if (n > 1)
        fwrite(c, 1, n, out);
    else if (*c == '"' || *c == '\\')
        fprintf(out, "\\%c", *c);
    else if ((unsigned char)*c < 0x20 || *c == 0x7f)
        fprintf(out, "\\u%04x", (unsigned)*c);
    else
        putc(*c, out);
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
