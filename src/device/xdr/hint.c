/* SPDX-License-Identifier: BSD-3-Clause */
#include "hint.h"

#include <ach.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../util/nearest.h"
#include "scalar.h"
#include "text.h"

#define NAME_SHOWN 40

/* A message that is truncated, with "...", if it is too long. */
struct sentence {
    char text[256];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct sentence *s, const char *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(s->text + s->length, sizeof(s->text) - s->length, format, ap);
    va_end(ap);
    s->length += n > 0 ? (size_t)n : 0;
    if (s->length >= sizeof(s->text)) {
        s->length = sizeof(s->text) - 1;
        memcpy(s->text + sizeof(s->text) - sizeof("..."), "...", sizeof("..."));
    }
}

/* The counts of arrays cannot be set: they follow from the arrays. */
static bool settable(const ach_field_t *f)
{
    return f->array != ACH_ARRAY_COUNT;
}

static void add_names(struct sentence *s, const ach_type_t *type, bool deep)
{
    const char *between = "";
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (!settable(f))
            continue;
        add(s, "%s%s", between, f->name);
        if (deep && f->type) {
            add(s, " {");
            add_names(s, f->type, false);
            add(s, "}");
        }
        between = ", ";
    }
}

enum ach_status xdr_hint_field(const ach_type_t *type, const char *name, size_t length)
{
    char written[NAME_SHOWN + 1];
    struct nearest n;
    struct sentence s = {.length = 0};
    uint32_t i;

    snprintf(written, sizeof(written), "%.*s", (int)(length < NAME_SHOWN ? length : NAME_SHOWN),
             name);
    n = nearest_to(written);
    for (i = 0; i < type->field_count; i++)
        if (settable(&type->fields[i]))
            nearest_offer(&n, type->fields[i].name);
    if (n.best)
        add(&s, "; did you mean '%s'?", n.best);
    add(&s, "%s", n.best ? " It has: " : "; it has: ");
    add_names(&s, type, true);
    return ach_errstr_set(ACH_EINVAL, "%s has no field '%s'%s", type->name, written, s.text);
}

enum ach_status xdr_hint_word(const ach_type_t *type, const char *word)
{
    struct sentence s = {.length = 0};

    add_names(&s, type, true);
    return ach_errstr_set(ACH_EINVAL, "expected NAME=VALUE, found '%.40s'; the names are: %s", word,
                          s.text);
}

/* Suggest vel.px=1 vel.py=2, with the values of @value, as many as it has. */
static void add_words(struct sentence *s, const char *name, size_t length, const char *index,
                      const ach_type_t *type, const char *value)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        size_t n = strcspn(value, ", ");

        if (!settable(&type->fields[i]))
            continue;
        add(s, " %.*s%s.%s=%.*s", (int)(length < NAME_SHOWN ? length : NAME_SHOWN), name, index,
            type->fields[i].name, (int)(n < NAME_SHOWN ? n : NAME_SHOWN), n ? value : "...");
        if (!n)
            add(s, "...");
        value += n;
        value += strspn(value, ", ");
        if (!*value)
            break;
    }
}

enum ach_status xdr_hint_struct(const ach_field_t *field, bool element, const char *word,
                                const char *value)
{
    bool array = field->array != ACH_ARRAY_NONE && !element;
    struct sentence s = {.length = 0};

    if (xdr_value_field(field->type))
        return ach_errstr_set(ACH_EINVAL, "%s is an array of strings: write %s[0]=%.40s",
                              field->name, field->name, value);
    add(&s, "%s is %s %s {", field->name, array ? "an array of" : "a", field->type->name);
    add_names(&s, field->type, false);
    add(&s, "}: write");
    add_words(&s, word, (size_t)(value - word) - 1, array ? "[0]" : "", field->type, value);
    return ach_errstr_set(ACH_EINVAL, "%s", s.text);
}
