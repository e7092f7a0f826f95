/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define YEAR_S (366.0 * 24 * 3600)
#define NS_PER_S 1e9

static bool parse_digits(const char *text, int base, uint64_t *out, const char **rest)
{
    unsigned long long value;
    char *end;

    if (!strchr(DIGITS, text[0]) || text[0] == '\0')
        return false;
    errno = 0;
    value = strtoull(text, &end, base);
    if (errno != 0 || end == text)
        return false;
    *out = value;
    *rest = end;
    return true;
}

bool parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    uint64_t value;
    const char *rest;

    if (!parse_digits(text, 10, &value, &rest) || *rest || value < min || value > max)
        return false;
    *out = value;
    return true;
}

bool parse_size(const char *text, size_t *out)
{
    static const char units[] = "KMG";
    uint64_t value;
    unsigned shift = 0;
    const char *rest, *unit;

    if (!parse_digits(text, 10, &value, &rest))
        return false;
    if (*rest) {
        unit = strchr(units, *rest);
        if (!unit || rest[1])
            return false;
        shift = 10 * (unsigned)(unit - units + 1);
    }
    if (value > SIZE_MAX >> shift)
        return false;
    *out = (size_t)value << shift;
    return true;
}

bool parse_mode(const char *text, mode_t *out)
{
    uint64_t value;
    const char *rest;

    if (!parse_digits(text, 8, &value, &rest) || *rest || value > 0777)
        return false;
    *out = (mode_t)value;
    return true;
}

bool parse_seconds(const char *text, double *out)
{
    double value;
    char *end;

    if (!*text || text[strspn(text, DIGITS ".")] != '\0')
        return false;
    value = strtod(text, &end);
    if (*end || !(value > 0) || value > YEAR_S)
        return false;
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
