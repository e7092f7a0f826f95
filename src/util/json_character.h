/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_character.h - read a character of a JSON string
 *
 * The only code that reads the escapes of JSON. It is a header, so that libraries can use it
 * without exporting a symbol.
 */
#ifndef JSON_CHARACTER_H
#define JSON_CHARACTER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The value of four hexadecimal digits; -1: there are none. */
static inline int32_t json_hex4(const char *s)
{
    static const char digits[] = "0123456789abcdef";
    int32_t v = 0;
    int i;

    for (i = 0; i < 4; i++) {
        const char *d = s[i] >= '0' ? strchr(digits, s[i] | 0x20) : NULL;

        if (!d)
            return -1;
        v = v << 4 | (int32_t)(d - digits);
    }
    return v;
}

static inline size_t json_put_utf8(uint32_t c, char *to)
{
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

    for (i = n; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(lead[n] | c);
    return n;
}

/* \u1234 or a surrogate pair, at the backslash. Half a pair becomes U+FFFD. */
static inline size_t json_unicode(const char **s, char *to)
{
    int32_t c = json_hex4(*s + 2), low = -1;

    if (c < 0)
        return 0;
    *s += 6;
    if (c >= 0xd800 && c < 0xdc00 && (*s)[0] == '\\' && (*s)[1] == 'u')
        low = json_hex4(*s + 2);
    if (low >= 0xdc00 && low < 0xe000) {
        *s += 6;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    } else if (c >= 0xd800 && c < 0xe000) {
        c = 0xfffd;
    }
    return json_put_utf8((uint32_t)c, to);
}

/*
 * Decode the byte or the escape at *s, a text that ends with a NUL, and advance *s. Returns how many
 * bytes were stored, at most 4 and never more than were read; 0: it is not an escape.
 */
static inline size_t json_character(const char **s, char *to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char *known;

    if (**s != '\\') {
        *to = *(*s)++;
        return 1;
    }
    if ((*s)[1] == 'u')
        return json_unicode(s, to);
    known = (*s)[1] ? strchr(from, (*s)[1]) : NULL;
    if (!known)
        return 0;
    *to = into[known - from];
    *s += 2;
    return 1;
}

#endif
