/* SPDX-License-Identifier: BSD-3-Clause */
#include "literal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../device/xdr/scalar.h"
#include "../literal.h"

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

static enum ach_status literal_float(FILE *out, const struct msg_field *c, bool narrow)
{
    char *end, text[64];
    double value = strtod(c->value, &end);

    if (*end || !isfinite(narrow ? (float)value : value))
        return ach_errstr_set(ACH_EINVAL,
                              "line %u of the definition: the value of %s must be a finite number, "
                              "found '%.40s'",
                              c->line, c->name, c->value);
    snprintf(text, sizeof(text), "%.*g", narrow ? 9 : 17, value);
    fprintf(out, value < 0 ? "(%s%s%s)" : "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0",
            narrow ? "f" : "");
    return ACH_OK;
}

/* The smallest number has no positive partner, so it is written as -MAX - 1. */
static void literal_integer(FILE *out, const struct msg_literal *l)
{
    const char *before = "", *after = "";
    bool smallest = l->negative && l->whole >> (8 * xdr_scalar_size(l->kind) - 1);

    if (l->kind == ACH_KIND_INT64 || l->kind == ACH_KIND_UINT64) {
        before = l->kind == ACH_KIND_INT64 ? "INT64_C(" : "UINT64_C(";
        after = ")";
    } else if (l->kind == ACH_KIND_UINT32) {
        after = "u";
    }
    fprintf(out, "%s%s%" PRIu64 "%s%s%s", l->negative ? "(-" : "", before, l->whole - smallest,
            after, smallest ? " - 1" : "", l->negative ? ")" : "");
}

enum ach_status gen_literal_value(FILE *out, const struct msg_field *constant)
{
    struct msg_literal l;
    enum ach_status status = msg_literal_read(constant, &l);

    if (status != ACH_OK)
        return status;
    if (l.kind == ACH_KIND_FLOAT || l.kind == ACH_KIND_DOUBLE)
        return literal_float(out, constant, l.kind == ACH_KIND_FLOAT);
    if (l.text)
        gen_literal_text(out, l.text, l.size, "");
    else
        literal_integer(out, &l);
    return ACH_OK;
}
