/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_compile.h"

#include <stdlib.h>
#include <string.h>

#define OPS_MAX 96

/* The place in a struct that a path names. */
struct plan_compile_place {
    const ach_field_t *field;
    uint32_t offset; /* of the field's value or array, from the struct's start */
    uint32_t base;   /* of the struct that has the field */
};

static const ach_field_t *find_field(const ach_type_t *type, const char *name, size_t n)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++)
        if (strncmp(type->fields[i].name, name, n) == 0 && !type->fields[i].name[n])
            return &type->fields[i];
    return NULL;
}

/* a.b.c[2]: structs, then a field that may be one of a fixed array. */
static bool locate(const ach_type_t *type, const char *path, size_t length,
                   struct plan_compile_place *p)
{
    uint32_t base = 0;

    for (;;) {
        size_t n = strcspn(path, ".[");

        n = n < length ? n : length;
        p->field = find_field(type, path, n);
        if (!p->field)
            return false;
        p->base = base;
        p->offset = base + p->field->offset;
        if (n == length)
            return true;
        if (path[n] == '[' && p->field->kind != ACH_KIND_STRUCT) {
            p->offset +=
                (uint32_t)(strtoul(path + n + 1, NULL, 10) * drv_number_size(p->field->kind));
            return true;
        }
        if (p->field->kind != ACH_KIND_STRUCT || p->field->array != ACH_ARRAY_NONE)
            return false;
        base = p->offset;
        type = p->field->type;
        path += n + 1;
        length -= n + 1;
    }
}

static bool array_of(const struct plan_compile_place *p, struct drv_array *a)
{
    const ach_field_t *f = p->field;

    if (f->array != ACH_ARRAY_VARIABLE)
        return false;
    a->pointer = p->base + f->offset;
    a->count = p->base + f->count_offset;
    a->size = f->kind == ACH_KIND_STRUCT ? f->type->body_size : (uint32_t)drv_number_size(f->kind);
    a->limit = f->limit;
    return true;
}

static void read_form(const char *text, struct drv_form *f)
{
    char *end;

    memset(f, 0, sizeof(*f));
    f->plus = *text == '+';
    text += f->plus;
    f->zero = *text == '0';
    f->width = (int)strtol(text, &end, 10);
    f->precision = *end == '.' ? (int)strtol(end + 1, &end, 10) : 6;
    f->conversion = *end;
}

/* array@ or array@field: what follows the @ is within an element. */
static bool locate_element(const ach_type_t *type, const char *path, size_t length,
                           struct drv_op *op, struct plan_compile_place *p)
{
    const char *at = memchr(path, '@', length);
    size_t n = at ? (size_t)(at - path) : length;

    if (!locate(type, path, n, p))
        return false;
    if (!at)
        return true;
    op->element = true;
    if (!array_of(p, &op->array))
        return false;
    if (n + 1 < length)
        return p->field->kind == ACH_KIND_STRUCT &&
               locate(p->field->type, at + 1, length - n - 1, p);
    p->offset = 0;
    return true;
}

/* Parse the modifiers at the end of a word (~, & and /). Returns the length without them. */
static size_t read_marks(const ach_type_t *type, const char *word, size_t length, struct drv_op *op)
{
    const char *mark;
    struct plan_compile_place p;

    op->scale = 1;
    if (length && word[length - 1] == '~') {
        op->optional = true;
        length--;
    }
    if ((mark = memchr(word, '/', length))) {
        op->scale = strtod(mark + 1, NULL);
        length = (size_t)(mark - word);
    }
    if ((mark = memchr(word, '&', length)) && locate(type, "valid", 5, &p)) {
        op->bit = (uint32_t)strtoul(mark + 1, NULL, 10);
        op->other = p.offset;
        length = (size_t)(mark - word);
    }
    return length;
}

/* Two fields with a separator character between. */
static bool compile_pair(const ach_type_t *type, const char *word, char sign, enum drv_what what,
                         struct drv_op *op)
{
    const char *second = strchr(word, sign);
    struct plan_compile_place a, b;

    if (!second || !locate(type, word, (size_t)(second - word), &a) ||
        !locate(type, second + 1, strcspn(second + 1, "%"), &b))
        return false;
    op->what = what;
    op->offset = a.offset;
    op->other = b.offset;
    return true;
}

static bool compile_value(const ach_type_t *type, const char *word, struct drv_op *op)
{
    size_t length = read_marks(type, word, strcspn(word, "%"), op);
    struct plan_compile_place p;

    if (!locate_element(type, word, length, op, &p))
        return false;
    op->offset = p.offset;
    op->kind = p.field->kind;
    if (op->form.conversion == 's' || op->form.conversion == 'x') {
        op->what = op->form.conversion == 's' ? DRV_TEXT : DRV_HEX;
        return array_of(&p, &op->bytes);
    }
    op->what = DRV_NUMBER;
    return p.field->kind != ACH_KIND_STRUCT;
}

static bool compile_word(const ach_type_t *type, const char *word, struct drv_op *op)
{
    const char *form = strchr(word, '%');
    struct plan_compile_place p;

    memset(op, 0, sizeof(*op));
    if (*word == '{') {
        op->what = DRV_LOOP;
        return true;
    }
    if (*word == '?') {
        op->what = DRV_IF;
        return locate(type, word + 1, strcspn(word + 1, "{"), &p) && (op->offset = p.offset, true);
    }
    if (!form)
        return false;
    read_form(form + 1, &op->form);
    if (*word == '#') {
        op->what = DRV_COUNT;
        op->kind = ACH_KIND_UINT32;
        return locate(type, word + 1, (size_t)(form - word) - 1, &p) && array_of(&p, &op->array);
    }
    if (op->form.conversion == 'b')
        return compile_pair(type, word, ':', DRV_BITS, op);
    if (op->form.conversion == 't')
        return compile_pair(type, word, '+', DRV_TIME, op);
    return compile_value(type, word, op);
}

/* Each } closes the innermost open loop or condition. */
static bool compile_all(char *words, const ach_type_t *type, struct drv_op *ops, uint32_t *count)
{
    uint32_t open[4], depth = 0;
    char *word, *rest = NULL;

    *count = 0;
    for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (*word == '}') {
            if (!depth--)
                return false;
            ops[open[depth]].inside = *count - open[depth] - 1;
            continue;
        }
        if (*count == OPS_MAX || !compile_word(type, word, &ops[*count]))
            return false;
        if (ops[*count].what == DRV_LOOP || ops[*count].what == DRV_IF) {
            if (depth == 4)
                return false;
            open[depth++] = *count;
        }
        ++*count;
    }
    return depth == 0;
}

bool drv_plan_compile(const char *words, const ach_type_t *type, struct drv_ops *ops)
{
    struct drv_op *all = calloc(OPS_MAX, sizeof(*all));
    char *copy = strdup(words);
    bool good = all && copy && compile_all(copy, type, all, &ops->count);

    free(copy);
    if (good)
        ops->ops = all;
    else
        free(all);
    return good;
}
