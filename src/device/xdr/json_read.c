/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_read.c - bodies from JSON
 *
 * The type determines what must come next, so no tree of values is built:
 * each value is stored directly in its field. An array is scanned once to count
 * its elements, and then read. The nesting of the type bounds the recursion,
 * whatever the text contains.
 */
#include "scalar.h"
#include "text.h"

#include <string.h>

#include "../../util/json_character.h"

static const char *skip_space(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* Read a string into `to`, or only count its bytes. Returns the text after it; NULL: invalid. */
static const char *read_string(const char *s, char *to, uint64_t *used)
{
    char character[4];

    *used = 0;
    for (s++; *s != '"';) {
        size_t n = (unsigned char)*s < 0x20 ? 0 : json_character(&s, character);

        if (n == 0)
            return NULL;
        if (to)
            memcpy(to + *used, character, n);
        *used += n;
    }
    return s + 1;
}

/* Read a string into an array of char. */
static enum ach_status string_field(struct xdr_builder *draft, const ach_field_t *f, uint8_t *body,
                                    const char **text)
{
    enum ach_status status = ACH_OK;
    uint8_t *to = body + f->offset;
    uint64_t length;

    if (f->array == ACH_ARRAY_VARIABLE && strncmp(*text, "null", 4) == 0) {
        *text += 4;
        xdr_builder_resize(draft, f, body, 0, &status);
        return status;
    }
    if (**text != '"' || !read_string(*text, NULL, &length))
        return xdr_expected("a string", f->name, *text);
    if (length + (f->array == ACH_ARRAY_VARIABLE) > f->limit)
        return ach_errstr_set(ACH_EINVAL, "%s: a string of %llu bytes, at most %u are allowed",
                              f->name, (unsigned long long)length,
                              f->limit - (f->array == ACH_ARRAY_VARIABLE));
    if (f->array == ACH_ARRAY_VARIABLE)
        to = xdr_builder_resize(draft, f, body, (uint32_t)length + 1, &status);
    else
        memset(to, 0, f->limit);
    if (!to)
        return status;
    *text = read_string(*text, (char *)to, &length);
    if (memchr(to, 0, (size_t)length))
        return ach_errstr_set(ACH_EINVAL, "%s: a string must not contain NUL", f->name);
    if (f->array == ACH_ARRAY_VARIABLE)
        to[length] = 0;
    return ACH_OK;
}

static enum ach_status value(struct xdr_builder *draft, const ach_field_t *f, uint8_t *at,
                             const char **text)
{
    const ach_field_t *inner = f->type ? xdr_value_field(f->type) : NULL;

    if (inner)
        return xdr_json_field(draft, inner, at, text);
    if (f->type)
        return xdr_json_struct(draft, f->type, at, text);
    return xdr_read_scalar(f, text, at);
}

/* Count the elements of the array at @s by its brackets and commas only. */
static uint64_t count_elements(const char *s)
{
    uint64_t n = 0, depth = 0, used;
    bool fresh = true;

    for (s++; s && *s && (depth || *s != ']'); s++) {
        if (strchr(" \t\r\n", *s))
            continue;
        if (fresh && *s != ',')
            n++;
        fresh = depth == 0 && *s == ',';
        if (*s == '"') {
            s = read_string(s, NULL, &used);
            if (!s)
                return n;
            s--;
        } else if (*s == '[' || *s == '{') {
            depth++;
        } else if ((*s == ']' || *s == '}') && depth) {
            depth--;
        }
    }
    return n;
}

static enum ach_status elements(struct xdr_builder *draft, const ach_field_t *f, uint8_t *at,
                                uint64_t n, const char **text)
{
    size_t size = xdr_field_element_size(f);
    const char *s = skip_space(*text + 1);
    enum ach_status status;
    uint64_t i;

    for (i = 0; i < n; i++) {
        status = value(draft, f, at + size * i, &s);
        if (status != ACH_OK)
            return status;
        s = skip_space(s);
        if (i + 1 < n) {
            if (*s != ',')
                return xdr_expected("',' or ']'", f->name, s);
            s = skip_space(s + 1);
        }
    }
    if (*s != ']')
        return xdr_expected("',' or ']'", f->name, s);
    *text = s + 1;
    return ACH_OK;
}

static enum ach_status array_field(struct xdr_builder *draft, const ach_field_t *f, uint8_t *body,
                                   const char **text)
{
    enum ach_status status = ACH_OK;
    uint8_t *at = body + f->offset;
    uint64_t n;

    if (**text != '[')
        return xdr_expected("'['", f->name, *text);
    n = count_elements(*text);
    if (n > f->limit || (f->array == ACH_ARRAY_FIXED && n != f->limit))
        return ach_errstr_set(ACH_EINVAL, "%s: %llu elements, %s %u are allowed", f->name,
                              (unsigned long long)n,
                              f->array == ACH_ARRAY_FIXED ? "exactly" : "at most", f->limit);
    if (f->array == ACH_ARRAY_VARIABLE) {
        at = xdr_builder_resize(draft, f, body, 0, &status);
        if (at)
            at = xdr_builder_resize(draft, f, body, (uint32_t)n, &status);
    }
    return at ? elements(draft, f, at, n, text) : status;
}

enum ach_status xdr_json_field(struct xdr_builder *draft, const ach_field_t *field, uint8_t *body,
                               const char **text)
{
    if (field->kind == ACH_KIND_CHAR)
        return string_field(draft, field, body, text);
    if (field->array == ACH_ARRAY_FIXED || field->array == ACH_ARRAY_VARIABLE)
        return array_field(draft, field, body, text);
    return value(draft, field, body + field->offset, text);
}

/* "name": VALUE */
static enum ach_status member(struct xdr_builder *draft, const ach_type_t *type, uint8_t *body,
                              const char **text)
{
    const char *s = *text, *colon;
    const ach_field_t *f;
    enum ach_status status;
    uint64_t used;

    if (*s != '"' || !(colon = read_string(s, NULL, &used)))
        return xdr_expected("the name of a field in quotes", type->name, s);
    f = xdr_field_find(type, s + 1, (size_t)(colon - s) - 2);
    if (!f || f->array == ACH_ARRAY_COUNT)
        return ach_errstr_set(ACH_EINVAL, "%s: there is no field %.*s%s", type->name,
                              (int)(colon - s < 80 ? colon - s : 80), s,
                              f ? "; the length of its array sets it" : "");
    s = skip_space(colon);
    if (*s != ':')
        return xdr_expected("':'", f->name, s);
    s = skip_space(s + 1);
    status = xdr_json_field(draft, f, body, &s);
    *text = s;
    return status;
}

enum ach_status xdr_json_struct(struct xdr_builder *draft, const ach_type_t *type, uint8_t *body,
                                const char **text)
{
    const char *s = *text;
    enum ach_status status;

    if (*s != '{')
        return xdr_expected("'{'", type->name, s);
    s = skip_space(s + 1);
    while (*s != '}') {
        status = member(draft, type, body, &s);
        if (status != ACH_OK)
            return status;
        s = skip_space(s);
        if (*s == ',')
            s = skip_space(s + 1);
        else if (*s != '}')
            return xdr_expected("',' or '}'", type->name, s);
    }
    *text = s + 1;
    return ACH_OK;
}

static enum ach_status whole_text(struct xdr_builder *draft, const char *text)
{
    enum ach_status status;

    text = skip_space(text);
    status = xdr_json_struct(draft, draft->type, draft->body, &text);
    if (status == ACH_OK && *skip_space(text))
        return xdr_expected("nothing more", draft->type->name, skip_space(text));
    return status;
}

enum ach_status ach_body_from_json(const ach_type_t *type, const char *text, void **body)
{
    locale_t before = xdr_locale_enter();
    struct xdr_builder draft;
    enum ach_status status = xdr_builder_begin(&draft, type);

    if (status == ACH_OK)
        status = whole_text(&draft, text);
    status = xdr_builder_end(&draft, status, body);
    xdr_locale_leave(before);
    return status;
}
