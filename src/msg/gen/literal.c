/* SPDX-License-Identifier: BSD-3-Clause */
#include "literal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void literal_char(FILE *out, unsigned char c)
{
    if (c == '\n')
        fputs("\\n", out);
    else if (c == '\t')
        fputs("\\t", out);
    else if (c == '"' || c == '\\' || c == '?') /* "??" begins a trigraph */
        fprintf(out, "\\%c", c);
    else if (c < ' ' || c > '~')
        fprintf(out, "\\%03o", c);
    else
        fputc(c, out);
}

void gen_literal_text(FILE *out, const char *text, size_t size, const char *indent)
{
    size_t i;

    fputc('"', out);
    for (i = 0; i < size; i++) {
        literal_char(out, (unsigned char)text[i]);
        if (text[i] == '\n' && i + 1 < size)
            fprintf(out, "\"\n%s\"", indent);
    }
    fputc('"', out);
}

static enum ach_status literal_bad(const struct msg_field *c, const char *wanted)
{
    return ach_errstr_set(ACH_EINVAL, "line %u of the definition: %s is %s, not '%.40s'", c->line,
                          c->name, wanted, c->value);
}

static enum ach_status literal_bool(FILE *out, const struct msg_field *c)
{
    static const char *const words[] = {"false", "true", "False", "True", "0", "1"};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(c->value, words[i]) == 0) {
            fprintf(out, "%zu", i % 2);
            return ACH_OK;
        }
    }
    return literal_bad(c, "true or false");
}

static enum ach_status literal_float(FILE *out, const struct msg_field *c)
{
    bool narrow = strcmp(c->type, "float32") == 0;
    char *end, text[64];
    double value = strtod(c->value, &end);

    if (*end || !isfinite(narrow ? (float)value : value))
        return literal_bad(c, "a finite number");
    snprintf(text, sizeof(text), "%.*g", narrow ? 9 : 17, value);
    fprintf(out, value < 0 ? "(%s%s%s)" : "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0",
            narrow ? "f" : "");
    return ACH_OK;
}

/* The strings of ROS 2 may be in quotes, which are not part of them. */
static enum ach_status literal_string(FILE *out, const struct msg_field *c)
{
    size_t n = strlen(c->value);
    bool quoted = n > 1 && strchr("\"'", c->value[0]) && c->value[n - 1] == c->value[0];

    gen_literal_text(out, c->value + quoted, n - 2 * (size_t)quoted, "");
    return ACH_OK;
}

static const struct integer {
    const char *name;
    int64_t min;
    uint64_t max;
    const char *before, *after; /* the digits */
} integers[] = {
    {"int8", INT8_MIN, INT8_MAX, "", ""},    {"int16", INT16_MIN, INT16_MAX, "", ""},
    {"int32", INT32_MIN, INT32_MAX, "", ""}, {"int64", INT64_MIN, INT64_MAX, "INT64_C(", ")"},
    {"uint8", 0, UINT8_MAX, "", ""},         {"byte", 0, UINT8_MAX, "", ""},
    {"char", 0, UINT8_MAX, "", ""},          {"uint16", 0, UINT16_MAX, "", ""},
    {"uint32", 0, UINT32_MAX, "", "u"},      {"uint64", 0, UINT64_MAX, "UINT64_C(", ")"},
};

/* The smallest number has no positive partner, so it is written as -MAX - 1. */
static void literal_negative(FILE *out, uint64_t n, const struct integer *type)
{
    bool smallest = n > type->max;

    fprintf(out, "(-%s%" PRIu64 "%s%s)", type->before, n - smallest, type->after,
            smallest ? " - 1" : "");
}

static enum ach_status literal_integer(FILE *out, const struct msg_field *c,
                                       const struct integer *type)
{
    bool negative = *c->value == '-';
    const char *digits = c->value + (negative || *c->value == '+');
    int base = strncmp(digits, "0x", 2) == 0 ? 16 : 10;
    uint64_t n, max = negative ? (uint64_t)0 - (uint64_t)type->min : type->max;
    char *end;

    errno = 0;
    n = strtoull(digits, &end, base);
    if (!*digits || strchr("-+ ", *digits) || *end || errno || n > max)
        return ach_errstr_set(ACH_EINVAL,
                              "line %u of the definition: %s is a number from %" PRId64
                              " to %" PRIu64 ", not '%.40s'",
                              c->line, c->name, type->min, type->max, c->value);
    if (negative)
        literal_negative(out, n, type);
    else
        fprintf(out, "%s%" PRIu64 "%s", type->before, n, type->after);
    return ACH_OK;
}

enum ach_status gen_literal_value(FILE *out, const struct msg_field *constant)
{
    size_t i;

    for (i = 0; i < sizeof(integers) / sizeof(integers[0]); i++)
        if (strcmp(constant->type, integers[i].name) == 0)
            return literal_integer(out, constant, &integers[i]);
    if (strcmp(constant->type, "bool") == 0)
        return literal_bool(out, constant);
    if (strcmp(constant->type, "string") == 0)
        return literal_string(out, constant);
    if (strncmp(constant->type, "float", 5) == 0)
        return literal_float(out, constant);
    return ach_errstr_set(ACH_EINVAL, "line %u of the definition: a constant cannot be a %.40s",
                          constant->line, constant->type);
}
