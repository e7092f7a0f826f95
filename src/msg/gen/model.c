/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ach/interface.h>

#include "../../device/xdr/scalar.h"
#include "names.h"

/* ROS 2 gives a message without fields this one. */
static const struct msg_field dummy = {.type = "uint8",
                                       .name = "structure_needs_at_least_one_member",
                                       .array = ACH_ARRAY_NONE,
                                       .limit = 1};

static enum ach_status model_no_memory(void)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
}

uint32_t gen_number_size(const struct gen_field *f)
{
    if (f->ref.meaning == MSG_TIME || f->ref.meaning == MSG_DURATION)
        return 8;
    return f->ref.meaning == MSG_SCALAR ? xdr_scalar_size(f->ref.kind) : 0;
}

uint32_t gen_number_align(const struct gen_field *f)
{
    return f->ref.meaning == MSG_SCALAR ? gen_number_size(f) : 4;
}

bool gen_is_solid(const struct gen_struct *s)
{
    return s->fixed && !s->holes && !s->booleans && s->size == s->memory &&
           s->first_align == s->align;
}

bool gen_is_bulk(const struct gen_field *f)
{
    return f->inner ? gen_is_solid(f->inner) : f->ref.meaning != MSG_STRING;
}

/* FNV-1a, 32 bits, over words. */
static uint32_t fingerprint_text(uint32_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    while (*text++);
    return hash;
}

static uint32_t fingerprint_number(uint32_t hash, uint32_t n)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", n);
    return fingerprint_text(hash, text);
}

static void struct_fingerprint(struct gen_struct *s)
{
    uint32_t hash =
        fingerprint_text(fingerprint_text(2166136261u, s->from->package), s->from->name);
    unsigned i;

    for (i = 0; i < s->count; i++) {
        const struct gen_field *f = &s->fields[i];

        hash = fingerprint_text(fingerprint_text(hash, f->from->type), f->from->name);
        hash = fingerprint_number(hash, f->from->array);
        hash = fingerprint_number(hash, f->from->limit);
        hash = fingerprint_number(hash, f->from->string_limit);
        if (f->inner)
            hash = fingerprint_number(hash, f->inner->fingerprint);
    }
    s->fingerprint = hash;
}

static uint64_t round_to(uint64_t n, uint64_t align)
{
    return (n + align - 1) & ~(align - 1);
}

/* What a field's element has in CDR and in C. */
struct shape {
    uint32_t first_align, align;
    uint64_t size, memory;
};

static bool field_shape(const struct gen_field *f, struct shape *e)
{
    uint32_t size = gen_number_size(f), align = gen_number_align(f);

    if (f->from->array == ACH_ARRAY_VARIABLE)
        return false;
    if (f->inner)
        *e = (struct shape){f->inner->first_align, f->inner->align, f->inner->size,
                            f->inner->memory};
    else
        *e = (struct shape){align, align, size, size};
    return f->inner ? f->inner->fixed : size != 0;
}

/* Add a field to a fixed struct. False: CDR and C would put it at different places. */
static bool place_field(struct gen_struct *s, struct gen_field *f)
{
    struct shape e;
    uint64_t n = f->from->limit, at;

    if (!field_shape(f, &e))
        return false;
    at = round_to(s->size, e.first_align);
    if (at != round_to(s->memory, e.align))
        return false;
    if (n > 1 && round_to(e.size, e.first_align) != e.memory)
        return false;
    if (at != s->size || (f->inner && f->inner->holes) || (n > 1 && e.size != e.memory))
        s->holes = true;
    if (f == s->fields)
        s->first_align = e.first_align;
    if (e.align > s->align)
        s->align = e.align;
    f->offset = at;
    f->padding = (uint32_t)(at - s->memory);
    s->size = at + (n - 1) * e.memory + e.size;
    s->memory = at + n * e.memory;
    return true;
}

static void struct_layout(struct gen_struct *s)
{
    unsigned i;

    s->align = 1;
    s->fixed = true;
    for (i = 0; i < s->count; i++) {
        struct gen_field *f = &s->fields[i];

        s->fixed = s->fixed && place_field(s, f);
        if (f->inner ? f->inner->booleans
                     : f->ref.meaning == MSG_SCALAR && f->ref.kind == ACH_KIND_BOOL)
            s->booleans = true;
    }
    s->memory = round_to(s->memory, s->align);
}

/* To be freed; NULL: no memory. */
static char *unreserved(const char *name)
{
    char *c = NULL;

    return asprintf(&c, "%s%s", name, gen_is_reserved(name) ? "_" : "") < 0 ? NULL : c;
}

static char *struct_name(const struct msg_section *from, const struct gen_names *names)
{
    char *snake = gen_snake_case(from->name), *c = NULL, *slash;
    bool package = names->packages && *from->package;

    if (snake && asprintf(&c, "%s%s%s%s", names->prefix, package ? from->package : "",
                          package ? "_" : "", snake) < 0)
        c = NULL;
    for (slash = c; slash && (slash = strchr(slash, '/')) != NULL;)
        *slash = '_';
    free(snake);
    return c;
}

static enum ach_status check_fields(const struct gen_struct *s)
{
    unsigned i, k;

    for (i = 0; i < s->count; i++)
        for (k = 0; k < i; k++)
            if (strcmp(s->fields[i].name, s->fields[k].name) == 0)
                return ach_errstr_set(ACH_EINVAL, "%s has two fields that are called '%s' in C",
                                      s->from->name, s->fields[i].name);
    return ACH_OK;
}

static enum ach_status check_constants(const struct gen_model *m, const struct gen_struct *s)
{
    const struct msg_field *f = m->text.fields + s->from->first;
    unsigned i;

    for (i = 0; i < s->from->count; i++)
        if (f[i].constant && strcmp(f[i].name, GEN_SIZE) == 0)
            return ach_errstr_set(ACH_EINVAL,
                                  "%s: the constant %s has the name of a macro of ach gen",
                                  s->from->name, f[i].name);
    return ACH_OK;
}

/* One name of C must not mean two structs. */
static enum ach_status check_struct_name(const struct gen_model *m, const struct gen_struct *s)
{
    const struct gen_struct *other;

    if (gen_is_taken(s->name))
        return ach_errstr_set(ACH_EINVAL,
                              "%s would be called '%s' in C, as in a system header or in ach.h: "
                              "use --prefix or --full-names",
                              s->from->name, s->name);
    for (other = m->first; other; other = other->next)
        if (strcmp(other->name, s->name) == 0)
            return ach_errstr_set(
                ACH_EINVAL, "%s/%s and %s/%s would both be called '%s' in C: use --full-names",
                other->from->package, other->from->name, s->from->package, s->from->name, s->name);
    return ACH_OK;
}

static enum ach_status make_struct_of(struct gen_model *m, const struct gen_names *names,
                                      unsigned section);

static enum ach_status add_struct_field(struct gen_model *m, const struct gen_names *names,
                                        struct gen_struct *s, const struct msg_field *from)
{
    struct gen_field *f = &s->fields[s->count++];
    enum ach_status status = ACH_OK;

    f->from = from;
    f->ref = msg_resolve(&m->text, from->type, s->from->package);
    f->name = unreserved(from->name);
    if (!f->name)
        return model_no_memory();
    if (f->ref.meaning == MSG_SECTION) {
        f->inner = &m->structs[f->ref.section];
        status = make_struct_of(m, names, f->ref.section);
    }
    return status;
}

static enum ach_status add_struct_fields(struct gen_model *m, const struct gen_names *names,
                                         struct gen_struct *s)
{
    enum ach_status status = ACH_OK;
    unsigned i;

    for (i = 0; status == ACH_OK && i < s->from->count; i++) {
        const struct msg_field *from = &m->text.fields[s->from->first + i];

        if (!from->constant)
            status = add_struct_field(m, names, s, from);
    }
    if (status == ACH_OK && !s->count)
        status = add_struct_field(m, names, s, &dummy);
    return status;
}

static void append_struct(struct gen_model *m, struct gen_struct *s)
{
    struct gen_struct **at = &m->first;

    while (*at)
        at = &(*at)->next;
    *at = s;
}

/* Inner structs first. The definition was checked, so this ends: none contains itself. */
static enum ach_status make_struct_of(struct gen_model *m, const struct gen_names *names,
                                      unsigned section)
{
    struct gen_struct *s = &m->structs[section];
    enum ach_status status;

    if (s->from)
        return ACH_OK;
    s->from = &m->text.sections[section];
    s->fields = calloc(s->from->count + 1, sizeof(*s->fields));
    s->name = struct_name(s->from, names);
    s->tag = s->name ? unreserved(s->name) : NULL;
    if (!s->fields || !s->tag)
        return model_no_memory();
    status = add_struct_fields(m, names, s);
    if (status == ACH_OK)
        status = check_fields(s);
    if (status == ACH_OK)
        status = check_constants(m, s);
    if (status == ACH_OK)
        status = check_struct_name(m, s);
    if (status != ACH_OK)
        return status;
    struct_layout(s);
    struct_fingerprint(s);
    append_struct(m, s);
    return ACH_OK;
}

enum ach_status gen_model_make(struct gen_model *m, const struct gen_names *names, const char *type,
                               const char *text, size_t size)
{
    enum ach_status status;

    memset(m, 0, sizeof(*m));
    status = msg_parse(&m->text, type, text, size);
    if (status != ACH_OK)
        return status;
    m->structs = calloc(m->text.section_count, sizeof(*m->structs));
    return m->structs ? make_struct_of(m, names, 0) : model_no_memory();
}

void gen_model_free(struct gen_model *m)
{
    unsigned i, k;

    for (i = 0; m->structs && i < m->text.section_count; i++) {
        for (k = 0; k < m->structs[i].count; k++)
            free(m->structs[i].fields[k].name);
        free(m->structs[i].fields);
        free(m->structs[i].name);
        free(m->structs[i].tag);
    }
    free(m->structs);
    msg_text_free(&m->text);
}
