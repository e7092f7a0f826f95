/* SPDX-License-Identifier: BSD-3-Clause */
#include "template.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include <ach/interface.h>

static const char *number_type(const struct gen_field *f)
{
    static const char *const types[] = {
        [ACH_KIND_BOOL] = "uint8_t",    [ACH_KIND_INT8] = "int8_t",
        [ACH_KIND_UINT8] = "uint8_t",   [ACH_KIND_INT16] = "int16_t",
        [ACH_KIND_UINT16] = "uint16_t", [ACH_KIND_INT32] = "int32_t",
        [ACH_KIND_UINT32] = "uint32_t", [ACH_KIND_INT64] = "int64_t",
        [ACH_KIND_UINT64] = "uint64_t", [ACH_KIND_FLOAT] = "float",
        [ACH_KIND_DOUBLE] = "double",
    };

    if (f->ref.meaning == MSG_STRING)
        return "ach_cdr_string_t";
    return f->ref.meaning == MSG_SCALAR ? types[f->ref.kind] : "ach_cdr_time_t";
}

static void put_capitals(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(toupper((unsigned char)*name), out);
}

static void put_limit(FILE *out, uint32_t limit, uint32_t none)
{
    if (limit == none)
        fputs("ACHI_CDR_ANY", out);
    else
        fprintf(out, "%" PRIu32 "u", limit);
}

static void put_struct_part(FILE *out, char part, const struct gen_struct *s)
{
    switch (part) {
    case 'n':
        fputs(s->name, out);
        break;
    case 'N':
        put_capitals(out, s->name);
        break;
    case 't':
        fputs(s->tag, out);
        break;
    case 'm':
        fprintf(out, "%s%s%s", s->from->package, *s->from->package ? "/" : "", s->from->name);
        break;
    case 'z':
        fprintf(out, "%" PRIu64, s->size);
        break;
    case 's':
        fprintf(out, "%" PRIu64, s->memory);
        break;
    default:
        fprintf(out, "0x%08" PRIx32 "u", s->fingerprint);
    }
}

/* Address of the first element, or of element i. */
static void put_address(FILE *out, const struct gen_field *f, bool element)
{
    bool one = f->from->array == ACH_ARRAY_NONE;

    fprintf(out, "%sm->%s%s%s", one || element ? "&" : "", f->name,
            f->from->array == ACH_ARRAY_VARIABLE ? ".data" : "", element && !one ? "[i]" : "");
}

static void put_element_part(FILE *out, char part, const struct gen_field *f)
{
    switch (part) {
    case 'c':
        fprintf(out, "%s%s", f->inner ? "struct " : "", f->inner ? f->inner->tag : number_type(f));
        break;
    case 'a':
        fprintf(out, "%" PRIu32, f->inner ? f->inner->align : gen_number_align(f));
        break;
    case 'b':
        fprintf(out, "%" PRIu64, f->inner ? f->inner->size : gen_number_size(f));
        break;
    case 'I':
        fputs(f->inner->name, out);
        break;
    case 'B':
    case 'E':
        put_address(out, f, part == 'E');
        break;
    default:
        put_limit(out, f->from->string_limit, ACH_BODY_MAX - 1);
    }
}

static void put_field_part(FILE *out, char part, const struct gen_struct *s,
                           const struct gen_field *f)
{
    switch (part) {
    case 'f':
        fputs(f->name, out);
        break;
    case 'o':
        fprintf(out, "%" PRIu64, f->offset);
        break;
    case 'p':
        fprintf(out, "%" PRIu32, f->padding);
        break;
    case 'L':
        fprintf(out, "\"%s.%s\"", s->from->name, f->from->name);
        break;
    case 'A':
        put_limit(out, f->from->limit, ACH_BODY_MAX);
        break;
    case 'C':
        if (f->from->array == ACH_ARRAY_VARIABLE)
            fprintf(out, "m->%s.count", f->name);
        else
            fprintf(out, "%" PRIu32, f->from->limit);
        break;
    default:
        put_element_part(out, part, f);
    }
}

void gen_template(FILE *out, const char *text, const struct gen_struct *s,
                  const struct gen_field *f)
{
    for (; *text; text++) {
        if (*text != '$')
            fputc(*text, out);
        else if (text++, strchr("nNtmzsx", *text))
            put_struct_part(out, *text, s);
        else
            put_field_part(out, *text, s, f);
    }
}
