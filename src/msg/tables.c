/* SPDX-License-Identifier: BSD-3-Clause */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "../device/xdr/scalar.h"
#include "resolve.h"

/* Types that are not sections of the text. */
enum { TIME, DURATION, EXTRA_TYPES };

enum { NOT_MADE, BEING_MADE, MADE };

/* Steps repeat those of inner structs, so there may be more of them than fields. */
#define STEPS_MAX 32768u

const char msg_empty_field[] = "structure_needs_at_least_one_member";

/* A type that grows field by field. Sizes stay far below 2^64: see too_large. */
struct growth {
    struct ach_definition *d;
    ach_type_t *type;
    uint64_t size, align, wire;
    unsigned depth, line;
    bool fixed;
};

static enum ach_status too_large(const struct growth *g, const char *what, uint32_t most)
{
    return ach_errstr_set(ACH_EINVAL, "line %u of the definition: %s is too large: %s %u", g->line,
                          g->type->name, what, most);
}

static uint32_t place(struct growth *g, uint64_t size, uint64_t align)
{
    uint64_t at = (g->size + align - 1) & ~(align - 1);

    g->size = at + size;
    if (align > g->align)
        g->align = align;
    return (uint32_t)at;
}

static void add_field(struct growth *g, const ach_field_t *f)
{
    g->d->fields[g->d->field_count++] = *f;
    g->type->field_count++;
}

/* A count and a pointer. The count has no name: the array shows it. */
static void add_variable(struct growth *g, ach_field_t *f)
{
    ach_field_t count = {.name = "",
                         .text = "",
                         .kind = ACH_KIND_UINT32,
                         .array = ACH_ARRAY_COUNT,
                         .offset = place(g, sizeof(uint32_t), sizeof(uint32_t)),
                         .limit = 1};

    f->count_offset = count.offset;
    f->offset = place(g, sizeof(void *), sizeof(void *));
    g->wire += 8; /* XDR has the count twice */
    g->fixed = false;
    add_field(g, &count);
    add_field(g, f);
}

/* Bytes in XDR of a value, or of the values of an array. */
static uint64_t xdr_size(const ach_field_t *f)
{
    if (f->type)
        return (uint64_t)f->type->wire_size * f->limit;
    if (xdr_kind_is_byte(f->kind) && f->array == ACH_ARRAY_FIXED)
        return xdr_padded(f->limit);
    return (uint64_t)xdr_scalar_wire_size(f->kind) * f->limit;
}

static void add_inline(struct growth *g, ach_field_t *f)
{
    uint64_t size = f->type ? f->type->body_size : xdr_scalar_size(f->kind);

    f->offset = place(g, size * f->limit, f->type ? f->type->body_align : size);
    g->wire += xdr_size(f);
    if (f->type && !f->type->fixed)
        g->fixed = false;
    add_field(g, f);
}

/* Give a field its place, and add it. */
static enum ach_status lay_out(struct growth *g, ach_field_t f)
{
    unsigned depth = f.type ? f.type->depth + (unsigned)(f.array != ACH_ARRAY_NONE) : 0;

    f.text = "";
    if (f.array == ACH_ARRAY_VARIABLE)
        add_variable(g, &f);
    else
        add_inline(g, &f);
    if (depth > g->depth)
        g->depth = depth;
    if (g->depth > ACH_TYPE_DEPTH_MAX)
        return too_large(g, "the depth of nested arrays is more than", ACH_TYPE_DEPTH_MAX);
    if (g->size > ACH_BODY_MAX || g->wire > ACH_BODY_MAX)
        return too_large(g, "the number of its bytes is more than", ACH_BODY_MAX);
    return ACH_OK;
}

static enum ach_status add_step(struct growth *g, ach_step_t step)
{
    if (g->d->step_count == g->d->step_room)
        return too_large(g, "with its inner messages, the number of its fields is more than",
                         STEPS_MAX);
    g->d->steps[g->d->step_count++] = step;
    g->type->step_count++;
    return ACH_OK;
}

/* The steps of a struct within a struct are those of its fields, further on. */
static enum ach_status add_inner_steps(struct growth *g, const ach_field_t *f)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    for (i = 0; status == ACH_OK && i < f->type->step_count; i++) {
        ach_step_t step = f->type->steps[i];

        step.offset += f->offset;
        step.count_offset += f->offset;
        status = add_step(g, step);
    }
    return status;
}

static enum ach_status add_steps(struct growth *g)
{
    enum ach_status status = ACH_OK;
    uint32_t i;

    for (i = 0; status == ACH_OK && i < g->type->field_count; i++) {
        const ach_field_t *f = &g->type->fields[i];

        if (f->type && f->array == ACH_ARRAY_NONE)
            status = add_inner_steps(g, f);
        else
            status = add_step(
                g, (ach_step_t){.type = f->type,
                                .kind = f->kind,
                                .array = f->array == ACH_ARRAY_COUNT ? ACH_ARRAY_NONE : f->array,
                                .per = 1,
                                .offset = f->offset,
                                .count_offset = f->count_offset,
                                .limit = f->limit});
    }
    return status;
}

static void begin_type(struct growth *g, struct ach_definition *d, ach_type_t *type,
                       const char *name, unsigned line)
{
    *g = (struct growth){.d = d, .type = type, .align = 1, .fixed = true, .line = line};
    *type = (ach_type_t){.name = name, .text = ""};
}

/* The fields of a type must be adjacent, so it is made when those of inner types are complete. */
static enum ach_status end_type(struct growth *g)
{
    ach_type_t *type = g->type;
    enum ach_status status;

    type->fields = g->d->fields + g->d->field_count - type->field_count;
    type->steps = g->d->steps + g->d->step_count;
    status = add_steps(g);
    type->body_size = (uint32_t)((g->size + g->align - 1) & ~(g->align - 1));
    type->body_align = (uint32_t)g->align;
    type->wire_size = (uint32_t)g->wire;
    type->fixed = g->fixed;
    type->depth = (uint8_t)g->depth;
    return status;
}

static ach_type_t *extra_type(struct ach_definition *d, unsigned which)
{
    return &d->types[d->text.section_count + which];
}

/* A string as an element of an array: a struct with one field that has no name. */
static enum ach_status make_string(struct ach_definition *d, const struct msg_field *from,
                                   const ach_type_t **made)
{
    ach_type_t *type = extra_type(d, EXTRA_TYPES + d->string_count++);
    struct growth g;
    enum ach_status status;

    *made = type;
    begin_type(&g, d, type, "string", from->line);
    status = lay_out(&g, (ach_field_t){.name = "",
                                       .kind = ACH_KIND_CHAR,
                                       .array = ACH_ARRAY_VARIABLE,
                                       .limit = from->string_limit + 1});
    return status == ACH_OK ? end_type(&g) : status;
}

static enum ach_status make_time(struct ach_definition *d, unsigned which, unsigned line)
{
    ach_type_t *type = extra_type(d, which);
    struct growth g;

    if (type->name)
        return ACH_OK;
    begin_type(&g, d, type, which == TIME ? "Time" : "Duration", line);
    lay_out(&g, (ach_field_t){.name = "sec", .kind = ACH_KIND_INT32, .limit = 1});
    lay_out(&g, (ach_field_t){.name = "nanosec", .kind = ACH_KIND_UINT32, .limit = 1});
    return end_type(&g);
}

static enum ach_status make_section(struct ach_definition *d, unsigned section, unsigned level);

/* Make the table of the struct that a field has; NULL if its type is a scalar or one string. */
static enum ach_status make_struct(struct ach_definition *d, const struct msg_field *from,
                                   const char *user, unsigned level, const ach_type_t **type)
{
    struct msg_reference r = msg_resolve(&d->text, from->type, user);
    unsigned time = r.meaning == MSG_TIME ? TIME : DURATION;

    *type = NULL;
    switch (r.meaning) {
    case MSG_SCALAR:
        return ACH_OK;
    case MSG_STRING:
        return from->array == ACH_ARRAY_NONE ? ACH_OK : make_string(d, from, type);
    case MSG_SECTION:
        *type = &d->types[r.section];
        return make_section(d, r.section, level + 1);
    case MSG_TIME:
    case MSG_DURATION:
        *type = extra_type(d, time);
        return make_time(d, time, from->line);
    case MSG_WSTRING:
        return ach_errstr_set(ACH_EINVAL, "line %u of the definition: wstring is not supported: %s",
                              from->line, from->name);
    default:
        return ach_errstr_set(ACH_EINVAL,
                              "line %u of the definition: there is no definition of '%.80s'",
                              from->line, from->type);
    }
}

/* Make the tables of all structs that a section uses. */
static enum ach_status make_inner(struct ach_definition *d, const struct msg_section *s,
                                  const ach_type_t **inner, unsigned level)
{
    enum ach_status status = ACH_OK;
    unsigned i;

    for (i = 0; status == ACH_OK && i < s->count; i++) {
        const struct msg_field *from = &d->text.fields[s->first + i];

        if (!from->constant)
            status = make_struct(d, from, s->package, level, &inner[i]);
    }
    return status;
}

static enum ach_status add_message_field(struct growth *g, const struct msg_field *from,
                                         const ach_type_t *inner)
{
    struct msg_reference r = msg_resolve(&g->d->text, from->type, "");
    ach_field_t f = {.name = from->name,
                     .type = inner,
                     .kind = inner ? ACH_KIND_STRUCT : r.kind,
                     .array = from->array,
                     .limit = from->limit};

    g->line = from->line;
    if (f.kind == ACH_KIND_CHAR) {
        f.array = ACH_ARRAY_VARIABLE;
        f.limit = from->string_limit + 1;
    }
    return lay_out(g, f);
}

/* A struct has no size 0 in CDR: an empty message has one byte, as in ROS 2. */
static enum ach_status add_dummy(struct growth *g)
{
    return lay_out(g, (ach_field_t){.name = msg_empty_field, .kind = ACH_KIND_UINT8, .limit = 1});
}

static int by_name(const void *a, const void *b)
{
    const struct msg_field *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* No two fields or constants of a section have the same name. */
static enum ach_status check_names(const struct ach_definition *d, const struct msg_section *s)
{
    const struct msg_field **sorted = calloc(s->count + 1, sizeof(const struct msg_field *));
    const struct msg_field *twice = NULL;
    unsigned i;

    if (!sorted)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    for (i = 0; i < s->count; i++)
        sorted[i] = &d->text.fields[s->first + i];
    qsort(sorted, s->count, sizeof(const struct msg_field *), by_name);
    for (i = 1; i < s->count; i++)
        if (by_name(&sorted[i - 1], &sorted[i]) == 0)
            twice = sorted[i]->line > sorted[i - 1]->line ? sorted[i] : sorted[i - 1];
    free(sorted);
    return !twice ? ACH_OK
                  : ach_errstr_set(ACH_EINVAL,
                                   "line %u of the definition: two fields or constants are called "
                                   "'%s'",
                                   twice->line, twice->name);
}

static enum ach_status fill_type(struct ach_definition *d, unsigned section,
                                 const ach_type_t *const *inner)
{
    const struct msg_section *s = &d->text.sections[section];
    enum ach_status status = ACH_OK;
    struct growth g;
    unsigned i;

    begin_type(&g, d, &d->types[section], s->name, 0);
    for (i = 0; status == ACH_OK && i < s->count; i++)
        if (!d->text.fields[s->first + i].constant)
            status = add_message_field(&g, &d->text.fields[s->first + i], inner[i]);
    if (status == ACH_OK && !g.type->field_count)
        status = add_dummy(&g);
    return status == ACH_OK ? end_type(&g) : status;
}

static enum ach_status make_section(struct ach_definition *d, unsigned section, unsigned level)
{
    const struct msg_section *s = &d->text.sections[section];
    const ach_type_t **inner;
    enum ach_status status;

    if (d->state[section] == MADE)
        return ACH_OK;
    if (d->state[section] == BEING_MADE)
        return ach_errstr_set(ACH_EINVAL, "the definition of %.80s contains itself", s->name);
    if (level >= ACH_TYPE_LEVEL_MAX)
        return ach_errstr_set(ACH_EINVAL, "definitions are nested more than %u deep at %.80s",
                              ACH_TYPE_LEVEL_MAX, s->name);
    inner = calloc(s->count + 1, sizeof(*inner));
    if (!inner)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    d->state[section] = BEING_MADE;
    status = check_names(d, s);
    if (status == ACH_OK)
        status = make_inner(d, s, inner, level);
    if (status == ACH_OK)
        status = fill_type(d, section, inner);
    d->state[section] = MADE;
    free(inner);
    return status;
}

enum ach_status msg_tables_make(struct ach_definition *d)
{
    const struct msg_text *t = &d->text;

    /* A field and a string in it, with their counts; a field of an empty section; extra types. */
    d->field_room = 4 * (size_t)t->field_count + t->section_count + 2 * (size_t)EXTRA_TYPES;
    d->step_room = STEPS_MAX;
    d->types = calloc(t->section_count + (size_t)EXTRA_TYPES + t->field_count, sizeof(*d->types));
    d->state = calloc(t->section_count, sizeof(*d->state));
    d->fields = calloc(d->field_room, sizeof(*d->fields));
    d->steps = calloc(d->step_room, sizeof(*d->steps));
    if (!d->types || !d->state || !d->fields || !d->steps)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    return make_section(d, 0, 0);
}
