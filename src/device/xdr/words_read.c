/* SPDX-License-Identifier: BSD-3-Clause */
/* words_read.c - bodies from words like vel.px=0.5 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hint.h"
#include "scalar.h"
#include "text.h"

/* What the name in a word refers to: a field, or one element of it. */
struct words_read_place {
    const ach_field_t *field;
    uint8_t *body;    /* the struct that the field belongs to */
    uint8_t *at;      /* the element; NULL: the whole field */
    const char *name; /* of the field, or of the array whose element it is */
};

/* Parse [index], and let the place refer to that element. */
static enum ach_status go_to_element(struct xdr_builder *draft, struct words_read_place *p,
                                     const char **name)
{
    const ach_field_t *f = p->field;
    enum ach_status status = ACH_OK;
    uint8_t *elements;
    char *end;
    unsigned long index = strtoul(*name + 1, &end, 10);

    if (f->array == ACH_ARRAY_NONE || f->kind == ACH_KIND_CHAR)
        return ach_errstr_set(ACH_EINVAL, "%s is not an array", f->name);
    if (end == *name + 1 || *end != ']' || index >= f->limit)
        return ach_errstr_set(ACH_EINVAL, "%s: expected an index below %u, found '%s'", f->name,
                              f->limit, *name);
    *name = end + 1;
    elements = xdr_field_elements(f, p->body);
    if (index >= xdr_field_count(f, p->body))
        elements = xdr_builder_resize(draft, f, p->body, (uint32_t)index + 1, &status);
    if (!elements)
        return status;
    p->at = elements + xdr_field_element_size(f) * index;
    if (f->type && xdr_value_field(f->type))
        *p = (struct words_read_place){xdr_value_field(f->type), p->at, NULL, p->name};
    return ACH_OK;
}

static enum ach_status go_to_field(const ach_type_t *type, struct words_read_place *p,
                                   const char **name)
{
    size_t n = strcspn(*name, ".[=");

    p->field = n ? xdr_field_find(type, *name, n) : NULL; /* some fields have no name */
    if (!p->field)
        return xdr_hint_field(type, *name, n);
    if (p->field->array == ACH_ARRAY_COUNT)
        return ach_errstr_set(ACH_EINVAL, "%s: the length of its array sets it", p->field->name);
    p->at = NULL;
    p->name = p->field->name;
    *name += n;
    return ACH_OK;
}

/* Parse the name, up to the equals sign. */
static enum ach_status find_place(struct xdr_builder *draft, struct words_read_place *p,
                                  const char **name)
{
    enum ach_status status = go_to_field(draft->type, p, name);

    p->body = draft->body;
    while (status == ACH_OK && **name != '=') {
        if (**name == '[' && !p->at) {
            status = go_to_element(draft, p, name);
        } else if (**name == '.' && p->field->type &&
                   (p->at || p->field->array == ACH_ARRAY_NONE)) {
            p->body = p->at ? p->at : p->body + p->field->offset;
            ++*name;
            status = go_to_field(p->field->type, p, name);
        } else {
            return ach_errstr_set(ACH_EINVAL, "%s: expected '=', found '%.40s'", p->field->name,
                                  *name);
        }
    }
    return status;
}

static enum ach_status set_string(struct xdr_builder *draft, const struct words_read_place *p,
                                  const char *text)
{
    const ach_field_t *f = p->field;
    enum ach_status status = ACH_OK;
    uint8_t *to = p->body + f->offset;
    size_t n = strlen(text);

    if (n + (f->array == ACH_ARRAY_VARIABLE) > f->limit)
        return ach_errstr_set(ACH_EINVAL, "%s: a string of %zu bytes, at most %u are allowed",
                              p->name, n, f->limit - (f->array == ACH_ARRAY_VARIABLE));
    if (f->array == ACH_ARRAY_VARIABLE)
        to = xdr_builder_resize(draft, f, p->body, (uint32_t)n + 1, &status);
    else
        memset(to, 0, f->limit);
    if (!to)
        return status;
    memcpy(to, text, n);
    if (f->array == ACH_ARRAY_VARIABLE)
        to[n] = 0;
    return ACH_OK;
}

/* Refuse NaN and infinities, such as 1e999: a velocity must not become infinite. */
static bool is_finite(unsigned kind, const uint8_t *at)
{
    double d = 0;
    float f = 0;

    if (kind == ACH_KIND_DOUBLE)
        memcpy(&d, at, sizeof(d));
    else if (kind == ACH_KIND_FLOAT)
        memcpy(&f, at, sizeof(f));
    return isfinite(d) && isfinite(f);
}

static enum ach_status set_scalar(const ach_field_t *f, uint8_t *at, const char **text)
{
    const char *from = *text;
    enum ach_status status = xdr_read_scalar(f, text, at);

    if (status != ACH_OK || is_finite(f->kind, at))
        return status;
    return xdr_expected_number("finite ", f, from);
}

static uint32_t commas(const char *text)
{
    uint32_t n = 0;

    while ((text = strchr(text, ',')) && n < ACH_BODY_MAX) {
        n++;
        text++;
    }
    return n;
}

/* 1,2,3 */
static enum ach_status set_scalars(struct xdr_builder *draft, const struct words_read_place *p,
                                   const char **text)
{
    const ach_field_t *f = p->field;
    uint32_t i, n = **text ? commas(*text) + 1 : 0;
    uint8_t *at = p->body + f->offset;
    enum ach_status status = ACH_OK;

    if (f->array == ACH_ARRAY_VARIABLE)
        at = xdr_builder_resize(draft, f, p->body, n, &status);
    else if (n != f->limit)
        return ach_errstr_set(ACH_EINVAL, "%s: expected %u numbers, found %u", f->name, f->limit,
                              n);
    for (i = 0; at && status == ACH_OK && i < n; i++) {
        status = set_scalar(f, at + xdr_field_element_size(f) * i, text);
        if (status == ACH_OK && i + 1 < n && *(*text)++ != ',')
            return ach_errstr_set(ACH_EINVAL, "%s: expected ',' between numbers", f->name);
    }
    return status;
}

static enum ach_status set_value(struct xdr_builder *draft, const struct words_read_place *p,
                                 const char **text)
{
    const ach_field_t *f = p->field;

    if (p->at && f->type)
        return xdr_json_struct(draft, f->type, p->at, text);
    if (p->at)
        return set_scalar(f, p->at, text);
    if (f->type || **text == '[')
        return xdr_json_field(draft, f, p->body, text);
    if (f->array == ACH_ARRAY_NONE)
        return set_scalar(f, p->body + f->offset, text);
    return set_scalars(draft, p, text);
}

/* Whether a struct is given a value that is not JSON. It is set field by field, or as JSON. */
static bool lacks_json(const struct words_read_place *p, const char *text)
{
    char opening = p->at || p->field->array == ACH_ARRAY_NONE ? '{' : '[';

    return p->field->type && text[strspn(text, " ")] != opening;
}

static enum ach_status one_word(struct xdr_builder *draft, const char *word)
{
    const char *text = word;
    enum ach_status status;
    struct words_read_place p = {NULL, NULL, NULL, NULL};

    if (!strchr(word, '='))
        return xdr_hint_word(draft->type, word);
    status = find_place(draft, &p, &text);
    if (status != ACH_OK)
        return status;
    text++;
    if (lacks_json(&p, text))
        return xdr_hint_struct(p.field, p.at != NULL, word, text);
    if (p.field->kind == ACH_KIND_CHAR)
        return set_string(draft, &p, text);
    status = set_value(draft, &p, &text);
    if (status == ACH_OK && *text)
        return ach_errstr_set(ACH_EINVAL, "%s: expected nothing after the value, found '%.40s'",
                              p.field->name, text);
    return status;
}

enum ach_status ach_body_from_words(const ach_type_t *type, const char *const *words, size_t count,
                                    void **body)
{
    locale_t before = xdr_locale_enter();
    struct xdr_builder draft;
    enum ach_status status = xdr_builder_begin(&draft, type);
    size_t i;

    for (i = 0; status == ACH_OK && i < count; i++)
        status = one_word(&draft, words[i]);
    status = xdr_builder_end(&draft, status, body);
    xdr_locale_leave(before);
    return status;
}
