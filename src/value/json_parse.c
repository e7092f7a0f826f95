/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_parse.h"

#include <string.h>

#include "json_character.h"

struct json_parser {
    struct value_arena *arena;
    char *text; /* a copy with a NUL behind it, in which strings are decoded in place */
    const char *at;
    size_t size;
};

static enum ach_status parse_fail(const struct json_parser *p, const char *wanted)
{
    size_t at = (size_t)(p->at - p->text);

    return ach_errstr_set(ACH_EINVAL, "byte %zu of the JSON text: expected %s%s", at, wanted,
                          at >= p->size ? ", found the end" : "");
}

static void parse_space(struct json_parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

/* Decoded in place: an escape is never shorter than what it stands for. */
static enum ach_status parse_string(struct json_parser *p, struct value_text *out)
{
    char *to = p->text + (++p->at - p->text);
    size_t n;

    out->at = to;
    while (*p->at != '"') {
        if ((unsigned char)*p->at < 0x20)
            return parse_fail(p, "'\"' after the string");
        n = json_character(&p->at, to);
        if (n == 0)
            return parse_fail(p, "an escape such as \\n or \\u0041");
        to += n;
    }
    p->at++;
    out->size = (size_t)(to - out->at);
    return ACH_OK;
}

static size_t count_digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* The length of the number at s; 0: there is none. */
static size_t number_length(const char *s)
{
    const char *from = s;
    size_t n;

    s += *s == '-';
    n = *s == '0' ? 1 : count_digits(s);
    if (!n)
        return 0;
    s += n;
    if (*s == '.') {
        n = count_digits(s + 1);
        if (!n)
            return 0;
        s += 1 + n;
    }
    if (*s == 'e' || *s == 'E') {
        s += s[1] == '-' || s[1] == '+' ? 2 : 1;
        n = count_digits(s);
        if (!n)
            return 0;
        s += n;
    }
    return (size_t)(s - from);
}

static bool parse_word(struct json_parser *p, struct value *v)
{
    static const struct {
        const char *word;
        struct value value;
    } words[] = {
        {"null", {.kind = VALUE_NULL}},
        {"true", {.kind = VALUE_BOOL, .truth = true}},
        {"false", {.kind = VALUE_BOOL, .truth = false}},
    };
    struct value_text name = v->name;
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i].word);

        if (strncmp(p->at, words[i].word, n) == 0) {
            *v = words[i].value;
            v->name = name;
            p->at += n;
            return true;
        }
    }
    return false;
}

static enum ach_status parse_scalar(struct json_parser *p, struct value *v)
{
    struct value_text text = {NULL, 0};
    enum ach_status status;

    if (*p->at == '"') {
        status = parse_string(p, &text);
        v->kind = VALUE_TEXT;
        v->text = text.at;
        v->count = text.size;
        return status;
    }
    if (parse_word(p, v))
        return ACH_OK;
    v->kind = VALUE_NUMBER;
    v->text = p->at;
    v->count = number_length(p->at);
    p->at += v->count;
    return v->count ? ACH_OK : parse_fail(p, "a value");
}

static enum ach_status parse_value(struct json_parser *p, struct value *v, unsigned depth);

/* "name": VALUE, or VALUE in a list. */
static enum ach_status parse_item(struct json_parser *p, struct value *parent, unsigned depth)
{
    struct value_text name = {NULL, 0};
    enum ach_status status;
    struct value *v;

    if (parent->kind == VALUE_OBJECT) {
        if (*p->at != '"')
            return parse_fail(p, "a name in quotes");
        status = parse_string(p, &name);
        if (status != ACH_OK)
            return status;
        parse_space(p);
        if (*p->at != ':')
            return parse_fail(p, "':'");
        p->at++;
        parse_space(p);
    }
    v = value_add(p->arena, parent, name.at, name.size);
    return v ? parse_value(p, v, depth) : ACH_FAILED_SYSCALL;
}

static enum ach_status parse_nest(struct json_parser *p, struct value *v, unsigned depth)
{
    char close = *p->at == '{' ? '}' : ']';
    enum ach_status status = ACH_OK;

    if (depth == VALUE_DEPTH_MAX)
        return ach_errstr_set(ACH_EINVAL, "the JSON text is nested more than %u deep", depth);
    v->kind = close == '}' ? VALUE_OBJECT : VALUE_LIST;
    p->at++;
    parse_space(p);
    if (*p->at == close) {
        p->at++;
        return ACH_OK;
    }
    for (;;) {
        status = parse_item(p, v, depth + 1);
        if (status != ACH_OK)
            return status;
        parse_space(p);
        if (*p->at == close)
            break;
        if (*p->at != ',')
            return parse_fail(p, close == '}' ? "',' or '}'" : "',' or ']'");
        p->at++;
        parse_space(p);
    }
    p->at++;
    return ACH_OK;
}

static enum ach_status parse_value(struct json_parser *p, struct value *v, unsigned depth)
{
    return *p->at == '{' || *p->at == '[' ? parse_nest(p, v, depth) : parse_scalar(p, v);
}

enum ach_status value_parse_json(struct value_arena *a, const char *text, size_t size,
                                 struct value *v)
{
    struct json_parser p = {.arena = a, .text = value_copy(a, text, size), .size = size};
    enum ach_status status;

    if (!p.text)
        return ACH_FAILED_SYSCALL;
    p.at = p.text;
    parse_space(&p);
    status = parse_value(&p, v, 0);
    if (status != ACH_OK)
        return status;
    parse_space(&p);
    return p.at == p.text + size ? ACH_OK : parse_fail(&p, "nothing more");
}
