/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"

#include <ach.h>
#include <math.h>
#include <string.h>

#include "json_parse.h"

bool view_request_parse(struct view_request *r, const char *text, size_t size)
{
    *r = (struct view_request){.op = {"", 0}};
    if (value_parse_json(&r->tree.arena, text, size, &r->tree.root) != ACH_OK)
        return false;
    if (r->tree.root.kind != VALUE_OBJECT || !view_request_text(&r->tree.root, "op", &r->op)) {
        ach_errstr_set(ACH_EINVAL, "a message is an object with a member op");
        return false;
    }
    return true;
}

void view_request_finish(struct view_request *r)
{
    value_tree_finish(&r->tree);
}

bool view_request_is(const struct view_request *r, const char *op)
{
    return view_text_is(r->op, op);
}

static const struct value *request_member(const struct value *object, const char *name)
{
    return object->kind == VALUE_OBJECT ? value_member(object, name, strlen(name)) : NULL;
}

bool view_request_has(const struct value *object, const char *name)
{
    return request_member(object, name) != NULL;
}

const struct value *view_request_list(const struct value *object, const char *name)
{
    const struct value *v = request_member(object, name);

    return v && v->kind == VALUE_LIST ? v : NULL;
}

bool view_request_text(const struct value *object, const char *name, struct value_text *text)
{
    const struct value *v = request_member(object, name);

    if (!v || v->kind != VALUE_TEXT)
        return false;
    *text = (struct value_text){v->text, v->count};
    return true;
}

bool view_request_real(const struct value *object, const char *name, double *real)
{
    const struct value *v = request_member(object, name);

    return v && v->kind == VALUE_NUMBER && value_real(v, real) && isfinite(*real);
}

bool view_request_bool(const struct value *object, const char *name, bool *truth)
{
    const struct value *v = request_member(object, name);

    if (!v || v->kind != VALUE_BOOL)
        return false;
    *truth = v->truth;
    return true;
}

/* JSON numbers are doubles for a browser: all whole ones up to here are exact. */
#define EXACT 9007199254740992.0

bool view_request_as_number(const struct value *v, uint64_t most, uint64_t *n)
{
    double real;

    if (v->kind != VALUE_NUMBER || !value_real(v, &real) || !(real >= 0) || real > EXACT ||
        real != floor(real) || (uint64_t)real > most)
        return false;
    *n = (uint64_t)real;
    return true;
}

bool view_request_number(const struct value *object, const char *name, uint64_t most, uint64_t *n)
{
    const struct value *v = request_member(object, name);

    return v && view_request_as_number(v, most, n);
}

bool view_text_is(struct value_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(word, text.at, text.size) == 0;
}

bool view_text_copy(struct value_text text, char *to, size_t room)
{
    if (text.size >= room || memchr(text.at, 0, text.size))
        return false;
    memcpy(to, text.at, text.size);
    to[text.size] = '\0';
    return true;
}
