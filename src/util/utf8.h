/* SPDX-License-Identifier: BSD-3-Clause */
/* utf8.h - characters in UTF-8 */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

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

#endif
