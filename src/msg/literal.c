/* SPDX-License-Identifier: BSD-3-Clause */
#include "literal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/xdr/scalar.h"
#include "word.h"

#define BLANKS " \t\r"
#define DIGITS "0123456789"

/* A value or an element of an array. A NUL, a comma, a bracket or a blank follows it. */
struct literal_text {
    const char *at;
    size_t size;
};

static enum ach_status literal_bad(const struct msg_field *f, const char *wanted,
                                   struct literal_text t)
{
    return ach_errstr_set(ACH_EINVAL,
                          "line %u of the definition: the value of %s must be %s, found '%.*s'",
                          f->line, f->name, wanted, (int)(t.size < 40 ? t.size : 40), t.at);
}

static bool literal_is(struct literal_text t, const char *word)
{
    return t.size == strlen(word) && strncasecmp(t.at, word, t.size) == 0;
}

static enum ach_status literal_bool(const struct msg_field *f, struct literal_text t,
                                    struct msg_literal *l)
{
    l->whole = literal_is(t, "true") || literal_is(t, "1");
    return l->whole || literal_is(t, "false") || literal_is(t, "0")
               ? ACH_OK
               : literal_bad(f, "true or false", t);
}

static enum ach_status literal_whole(const struct msg_field *f, struct literal_text t,
                                     struct msg_literal *l)
{
    bool has_sign = xdr_kind_is_signed(l->kind);
    unsigned bits = 8 * xdr_scalar_size(l->kind) - has_sign;
    uint64_t max = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    uint64_t lowest = has_sign ? max + 1 : 0; /* its absolute value */
    const char *digits = t.at + (*t.at == '-' || *t.at == '+');
    char *end, wanted[80];

    l->negative = *t.at == '-';
    errno = 0;
    l->whole = strtoull(digits, &end, strncmp(digits, "0x", 2) == 0 ? 16 : 10);
    if (isdigit((unsigned char)*digits) && end == t.at + t.size && errno == 0 &&
        l->whole <= (l->negative ? lowest : max))
        return ACH_OK;
    snprintf(wanted, sizeof(wanted), "a number from %s%" PRIu64 " to %" PRIu64, has_sign ? "-" : "",
             lowest, max);
    return literal_bad(f, wanted, t);
}

/* Not strtod, since the point depends on the locale. */
static enum ach_status literal_real(const struct msg_field *f, struct literal_text t)
{
    size_t sign = *t.at == '-' || *t.at == '+', digits, fraction = 0;
    struct literal_text word = {t.at + sign, t.size - sign};
    const char *s = word.at;

    if (literal_is(word, "inf") || literal_is(word, "infinity") || literal_is(word, "nan"))
        return ACH_OK;
    digits = strspn(s, DIGITS);
    s += digits;
    if (*s == '.') {
        fraction = strspn(s + 1, DIGITS);
        s += 1 + fraction;
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '-' || s[1] == '+' ? 2 : 1;
        s = isdigit((unsigned char)*s) ? s + strspn(s, DIGITS) : NULL;
    }
    return digits + fraction && s == t.at + t.size ? ACH_OK : literal_bad(f, "a number", t);
}

const char *msg_quoted_end(const char *text)
{
    char quote = *text;

    if (quote != '"' && quote != '\'')
        return NULL;
    for (text++; *text && *text != quote; text++)
        text += *text == '\\' && text[1];
    return *text ? text + 1 : NULL;
}

/* Not strcspn, which would read behind an element: the time would grow with the square. */
static bool literal_is_word(struct literal_text t)
{
    while (t.size && !strchr(BLANKS "\"'", *t.at)) {
        t.at++;
        t.size--;
    }
    return t.size == 0;
}

/* Quotes are not part of a string. A constant of ROS 1 needs none, and ends with its line. */
static enum ach_status literal_string(const struct msg_field *f, struct literal_text t,
                                      struct msg_literal *l)
{
    bool quoted = msg_quoted_end(t.at) == t.at + t.size;
    char wanted[48];

    if (!quoted && !f->constant && !literal_is_word(t))
        return literal_bad(f, "one text in quotes", t);
    l->text = t.at + quoted;
    l->size = t.size - 2 * (size_t)quoted;
    if (l->size <= f->string_limit)
        return ACH_OK;
    snprintf(wanted, sizeof(wanted), "a text of at most %u bytes", f->string_limit);
    return literal_bad(f, wanted, t);
}

static enum ach_status literal_one(const struct msg_field *f, struct literal_text t,
                                   struct msg_literal *l)
{
    const struct msg_word *word = msg_word_find(f->type);

    *l = (struct msg_literal){.kind = word->kind};
    if (word->meaning != MSG_SCALAR)
        return literal_string(f, t, l);
    if (l->kind == ACH_KIND_BOOL)
        return literal_bool(f, t, l);
    if (l->kind == ACH_KIND_FLOAT || l->kind == ACH_KIND_DOUBLE)
        return literal_real(f, t);
    return literal_whole(f, t, l);
}

/* The element at a text, to a comma or the end. */
static struct literal_text literal_element(const char *at, const char *end)
{
    const char *quoted = msg_quoted_end(at), *s = quoted && quoted < end ? quoted : at;

    while (s < end && *s != ',')
        s++;
    while (s > at && strchr(BLANKS, s[-1]))
        s--;
    return (struct literal_text){at, (size_t)(s - at)};
}

/* "[1, 2]" */
static enum ach_status literal_array(const struct msg_field *f, struct literal_text t)
{
    const char *end = t.at + t.size - 1, *at = t.at + 1 + strspn(t.at + 1, BLANKS);
    enum ach_status status = ACH_OK;
    struct msg_literal unused;
    char wanted[64];
    uint32_t n = 0;

    if (*t.at != '[' || *end != ']')
        return literal_bad(f, "an array such as [1, 2]", t);
    for (bool more = at < end; status == ACH_OK && more; n++) {
        struct literal_text element = literal_element(at, end);

        status = literal_one(f, element, &unused);
        at = element.at + element.size;
        at += strspn(at, BLANKS);
        more = *at == ',';
        if (more)
            at += 1 + strspn(at + 1, BLANKS);
    }
    if (status != ACH_OK || (f->array == ACH_ARRAY_FIXED ? n == f->limit : n <= f->limit))
        return status;
    snprintf(wanted, sizeof(wanted), "an array of %s%u elements",
             f->array == ACH_ARRAY_FIXED ? "" : "at most ", f->limit);
    return literal_bad(f, wanted, t);
}

enum ach_status msg_literal_read(const struct msg_field *constant, struct msg_literal *literal)
{
    struct literal_text t = {constant->value, strlen(constant->value)};

    return literal_one(constant, t, literal);
}

enum ach_status msg_literal_check(const struct msg_field *f)
{
    struct msg_literal unused;

    if (!f->value)
        return ACH_OK;
    if (!msg_word_find(f->type))
        return ach_errstr_set(
            ACH_EINVAL,
            "line %u of the definition: %s is a %.40s, which cannot have a value, "
            "found '%.40s'",
            f->line, f->name, f->type, f->value);
    if (f->array != ACH_ARRAY_NONE)
        return literal_array(f, (struct literal_text){f->value, strlen(f->value)});
    return msg_literal_read(f, &unused);
}
