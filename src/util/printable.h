/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * printable.h - which characters a terminal prints
 *
 * It is a header, so that libraries can use it without exporting a symbol.
 */
#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "utf8.h"

/* Can the character of n bytes control a terminal? Also C1 does, U+0080 to U+009F. */
static inline bool is_control(const char *c, size_t n)
{
    return (n == 1 && ((unsigned char)c[0] < 0x20 || c[0] == 0x7f)) ||
           (n == 2 && (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] < 0xa0);
}

/* The length of the printable character that begins at text, 0 if none does. */
static inline size_t printable_length(const char *text, size_t len)
{
    size_t n = utf8_length(text, len);

    return is_control(text, n) ? 0 : n;
}

/*
 * Write about `most` bytes of a text, those that are not printable as \x07. Returns how many of its
 * bytes were written.
 */
static inline size_t printable_write(FILE *to, const char *text, size_t len, size_t most)
{
    size_t i = 0;

    while (i < len && i < most) {
        size_t n = printable_length(text + i, len - i);

        if (n)
            fwrite(text + i, 1, n, to);
        else
            fprintf(to, "\\x%02x", (unsigned char)text[i]);
        i += n ? n : 1;
    }
    return i;
}

/* Elements shown of a long list, and bytes of a long string, in output for people. */
#define PRINTABLE_ITEMS 8u
#define PRINTABLE_BYTES 200u

/* A string in quotes, cut if it is long. */
static inline void printable_quoted(FILE *to, const char *text, size_t len)
{
    putc('"', to);
    fputs(printable_write(to, text, len, PRINTABLE_BYTES) < len ? "...\"" : "\"", to);
}

#endif
