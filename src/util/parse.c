/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define YEAR_S (366.0 * 24 * 3600)
#define NS_PER_S 1e9

/* Reject the text: EINVAL, or ERANGE for a number that is too large. */
static bool refuse(int error)
{
    errno = error;
    return false;
}

struct digits {
    uint64_t value;
    bool overflow;
    const char *rest; /* behind the last digit */
};

static bool read_digits(const char *text, int base, struct digits *d)
{
    char *end;

    if (!strchr(DIGITS, text[0]) || text[0] == '\0')
        return false;
    errno = 0;
    d->value = strtoull(text, &end, base);
    d->overflow = errno != 0;
    d->rest = end;
    return end != text;
}

bool parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    struct digits d;

    if (!read_digits(text, 10, &d) || *d.rest || d.value < min)
        return refuse(EINVAL);
    if (d.overflow || d.value > max)
        return refuse(ERANGE);
    *out = d.value;
    return true;
}

/* Behind the digits of 1e3: an exponent of ten. */
static bool read_exponent(struct digits *d)
{
    struct digits e;

    if (!read_digits(d->rest + 1, 10, &e) || *e.rest)
        return refuse(EINVAL);
    d->rest = e.rest;
    for (; e.value && d->value && !d->overflow; e.value--)
        d->overflow = __builtin_mul_overflow(d->value, 10, &d->value);
    return true;
}

bool parse_size(const char *text, size_t *out)
{
    static const char units[] = "KMG";
    unsigned shift = 0;
    struct digits d;

    if (!read_digits(text, 10, &d))
        return refuse(EINVAL);
    if (*d.rest == 'e' && !read_exponent(&d))
        return false;
    if (*d.rest) {
        const char *unit = strchr(units, *d.rest);

        if (!unit || d.rest[1])
            return refuse(EINVAL);
        shift = 10 * (unsigned)(unit - units + 1);
    }
    if (d.overflow || d.value > SIZE_MAX >> shift)
        return refuse(ERANGE);
    *out = (size_t)d.value << shift;
    return true;
}

bool parse_mode(const char *text, mode_t *out)
{
    struct digits d;

    if (!read_digits(text, 8, &d) || *d.rest)
        return refuse(EINVAL);
    if (d.overflow || d.value > 0777)
        return refuse(ERANGE);
    *out = (mode_t)d.value;
    return true;
}

bool parse_seconds(const char *text, double *out)
{
    double value;
    char *end;

    if (!*text || text[strspn(text, DIGITS ".")] != '\0')
        return refuse(EINVAL);
    value = strtod(text, &end);
    if (*end || !(value > 0))
        return refuse(EINVAL);
    if (value > YEAR_S)
        return refuse(ERANGE);
    *out = value;
    return true;
}

static const struct {
    const char *name;
    clockid_t clock;
} clocks[] = {
    {"monotonic", CLOCK_MONOTONIC},         {"realtime", CLOCK_REALTIME},
    {"boottime", CLOCK_BOOTTIME},           {"tai", CLOCK_TAI},
    {"monotonic-raw", CLOCK_MONOTONIC_RAW},
};

#define CLOCKS (sizeof(clocks) / sizeof(clocks[0]))

bool parse_clock(const char *text, clockid_t *out)
{
    size_t i;

    if (strncasecmp(text, "CLOCK_", 6) == 0)
        text += 6;
    for (i = 0; i < CLOCKS; i++) {
        if (strcasecmp(text, clocks[i].name) == 0) {
            *out = clocks[i].clock;
            return true;
        }
    }
    return false;
}

const char *clock_name(clockid_t clock)
{
    size_t i;

    for (i = 0; i < CLOCKS; i++) {
        if (clocks[i].clock == clock)
            return clocks[i].name;
    }
    return NULL;
}

struct timespec seconds_to_timespec(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};

    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * NS_PER_S);
    return t;
}
