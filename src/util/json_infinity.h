/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_infinity.h - tell an infinity from a number that overflows
 *
 * JSON has no word for infinity. Ach writes it as 1e999.
 */
#ifndef JSON_INFINITY_H
#define JSON_INFINITY_H

#include <stdbool.h>
#include <string.h>

/* Whether the number from @text to @end, which strtod read as infinite, is meant to be. */
static inline bool json_is_infinity(const char *text, const char *end)
{
    text += *text == '-' || *text == '+';
    return (*text | 0x20) == 'i' || (end - text == 5 && memcmp(text, "1e999", 5) == 0);
}

#endif
