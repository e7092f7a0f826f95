/* SPDX-License-Identifier: BSD-3-Clause */
/* number.c - numbers are read the same in every locale */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "lex.h"

/* strtod accepts words such as -inf; a config file must not have them. */
static bool looks_right(const char *text)
{
    if (*text == '+' || *text == '-')
        text++;
    if (*text == '.')
        text++;
    return *text >= '0' && *text <= '9';
}

static double to_double(const char *text, char **end)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double number;

    if (plain == (locale_t)0)
        return strtod(text, end);
    number = strtod_l(text, end, plain);
    freelocale(plain);
    return number;
}

bool dev_numeral(const char *text, double *number)
{
    char *end;

    if (!looks_right(text))
        return false;
    *number = to_double(text, &end);
    return *end == '\0' && isfinite(*number);
}
