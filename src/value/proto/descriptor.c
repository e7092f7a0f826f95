/* SPDX-License-Identifier: BSD-3-Clause */
#include "descriptor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_REPEATED 3u
#define NAME_MAX_SIZE 512u /* of a type with its package */

static enum ach_status bad_set(const char *why)
{
    return ach_errstr_set(ACH_EINVAL, "the schema is not a descriptor set of protoc: %s", why);
}

/* What a file says about the messages in it. */
struct file_rules {
    bool presence; /* proto2 and editions: fields have presence */
    bool packed;   /* proto3 and editions: numbers are packed */
};

struct set_reader {
    struct proto_set *set;
    struct file_rules rules;
    unsigned depth;
};

/* Loop over the fields of a message; the loop ends early if the bytes are wrong. */
struct set_cursor {
    struct proto_wire wire;
    struct proto_item item;
    bool wrong;
};

static bool cursor_next(struct set_cursor *c)
{
    if (proto_ended(&c->wire))
        return false;
    c->wrong = !proto_read_item(&c->wire, &c->item);
    if (!c->wrong && c->item.type == PROTO_GROUP)
        c->wrong = !proto_skip_group(&c->wire, c->item.number);
    else if (!c->wrong && c->item.type == PROTO_END_GROUP)
        c->wrong = true;
    return !c->wrong;
}

/* Field number `number`, with bytes. */
static bool cursor_has(const struct set_cursor *c, uint32_t number)
{
    return c->item.number == number && c->item.type == PROTO_BYTES;
}

static bool cursor_is(const struct set_cursor *c, uint32_t number)
{
    return c->item.number == number && c->item.type == PROTO_VARINT;
}

static struct value_text cursor_text(const struct set_cursor *c)
{
    return (struct value_text){(const char *)c->item.bytes.at,
                               (size_t)(c->item.bytes.end - c->item.bytes.at)};
}

static bool is_identifier(struct value_text t)
{
    size_t i;

    for (i = 0; i < t.size; i++)
        if (!isalnum((unsigned char)t.at[i]) && t.at[i] != '_')
            return false;
    return t.size > 0 && t.size < NAME_MAX_SIZE;
}

/* "package.Name"; the name alone if there is no package. */
static enum ach_status join_name(struct value_arena *a, struct value_text scope,
                                 struct value_text name, struct value_text *full)
{
    char *text;

    if (!name.at || !is_identifier(name) || scope.size + name.size >= NAME_MAX_SIZE)
        return bad_set("a type has no valid name");
    text = value_alloc(a, scope.size + 1 + name.size);
    if (!text)
        return ACH_FAILED_SYSCALL;
    *full = (struct value_text){text, scope.size + (scope.size > 0) + name.size};
    if (scope.at && scope.size) {
        memcpy(text, scope.at, scope.size);
        text[scope.size] = '.';
        text += scope.size + 1;
    }
    memcpy(text, name.at, name.size);
    return ACH_OK;
}

/* The name of a message or an enumeration is its field 1. */
static struct value_text find_name(struct proto_wire wire, uint32_t number)
{
    struct set_cursor c = {.wire = wire};
    struct value_text name = {NULL, 0};

    while (cursor_next(&c))
        if (cursor_has(&c, number))
            name = cursor_text(&c);
    return name;
}

static enum ach_status read_constant(struct set_reader *r, struct proto_enum *e,
                                     struct proto_wire wire)
{
    struct set_cursor c = {.wire = wire};
    struct proto_constant constant = {.number = 0}, *all;

    while (cursor_next(&c)) {
        if (cursor_has(&c, 1))
            constant.name = cursor_text(&c);
        else if (cursor_is(&c, 2))
            constant.number = (int32_t)c.item.value;
    }
    if (c.wrong || !is_identifier(constant.name))
        return bad_set("a constant has no valid name");
    if (e->count == PROTO_CONSTANTS_MAX)
        return bad_set("an enumeration has more than 2048 constants");
    all = value_grow(&r->set->arena, e->constants, e->count, sizeof(*all));
    if (!all)
        return ACH_FAILED_SYSCALL;
    e->constants = all;
    all[e->count++] = constant;
    return ACH_OK;
}

static enum ach_status read_enum(struct set_reader *r, struct value_text scope,
                                 struct proto_wire wire)
{
    struct proto_set *s = r->set;
    struct proto_enum *e = value_alloc(&s->arena, sizeof(*e)), **all;
    struct set_cursor c = {.wire = wire};
    enum ach_status status = ACH_FAILED_SYSCALL;

    if (e)
        status = join_name(&s->arena, scope, find_name(wire, 1), &e->name);
    while (status == ACH_OK && cursor_next(&c))
        if (cursor_has(&c, 2))
            status = read_constant(r, e, c.item.bytes);
    if (status == ACH_OK && c.wrong)
        return bad_set("an enumeration is damaged");
    if (status != ACH_OK)
        return status;
    all = value_grow(&s->arena, s->enums, s->enum_count, sizeof(struct proto_enum *));
    if (!all)
        return ACH_FAILED_SYSCALL;
    s->enums = all;
    all[s->enum_count++] = e;
    return ACH_OK;
}

static bool packable(unsigned type)
{
    return type != PROTO_TYPE_STRING && type != PROTO_TYPE_BYTES && type != PROTO_TYPE_MESSAGE &&
           type != PROTO_TYPE_GROUP;
}

/* FieldOptions.packed */
static void read_field_options(struct proto_field *f, struct proto_wire wire)
{
    struct set_cursor c = {.wire = wire};

    while (cursor_next(&c))
        if (cursor_is(&c, 2))
            f->packed = c.item.value != 0;
}

static void read_field_number(struct proto_field *f, const struct set_cursor *c)
{
    if (cursor_is(c, 3))
        f->number = (uint32_t)c->item.value;
    else if (cursor_is(c, 4))
        f->repeated = c->item.value == LABEL_REPEATED;
    else if (cursor_is(c, 5))
        f->type = c->item.value <= PROTO_TYPE_SINT64 ? (uint8_t)c->item.value : 0;
    else if (cursor_is(c, 9))
        f->oneof = (int32_t)(c->item.value & INT32_MAX);
    else if (cursor_is(c, 17))
        f->optional = c->item.value != 0;
}

static enum ach_status read_field(struct set_reader *r, struct proto_message *m,
                                  struct proto_wire wire)
{
    struct set_cursor c = {.wire = wire};
    struct proto_field f = {.oneof = -1, .packed = r->rules.packed}, *all;

    while (cursor_next(&c)) {
        if (cursor_has(&c, 1))
            f.name = cursor_text(&c);
        else if (cursor_has(&c, 6))
            f.type_name = cursor_text(&c);
        else if (cursor_has(&c, 8))
            read_field_options(&f, c.item.bytes);
        else
            read_field_number(&f, &c);
    }
    if (c.wrong || !is_identifier(f.name) || !f.type || !f.number || f.number >= 1u << 29)
        return bad_set("a field has no valid name, number or type");
    if (m->count == PROTO_FIELDS_MAX)
        return bad_set("a message has more than 2048 fields");
    f.packed = f.packed && f.repeated && packable(f.type);
    f.presence = !f.repeated && (r->rules.presence || f.optional || f.oneof >= 0 ||
                                 f.type == PROTO_TYPE_MESSAGE || f.type == PROTO_TYPE_GROUP);
    all = value_grow(&r->set->arena, m->fields, m->count, sizeof(*all));
    if (!all)
        return ACH_FAILED_SYSCALL;
    m->fields = all;
    all[m->count++] = f;
    return ACH_OK;
}

/* MessageOptions.map_entry */
static void read_message_options(struct proto_message *m, struct proto_wire wire)
{
    struct set_cursor c = {.wire = wire};

    while (cursor_next(&c))
        if (cursor_is(&c, 7))
            m->map_entry = c.item.value != 0;
}

static enum ach_status read_message(struct set_reader *r, struct value_text scope,
                                    struct proto_wire wire);

static enum ach_status read_message_part(struct set_reader *r, struct proto_message *m,
                                         const struct set_cursor *c)
{
    if (cursor_has(c, 2))
        return read_field(r, m, c->item.bytes);
    if (cursor_has(c, 3))
        return read_message(r, m->name, c->item.bytes);
    if (cursor_has(c, 4))
        return read_enum(r, m->name, c->item.bytes);
    if (cursor_has(c, 7))
        read_message_options(m, c->item.bytes);
    return ACH_OK;
}

static enum ach_status read_message(struct set_reader *r, struct value_text scope,
                                    struct proto_wire wire)
{
    struct proto_set *s = r->set;
    struct proto_message *m = value_alloc(&s->arena, sizeof(*m)), **all;
    struct set_cursor c = {.wire = wire};
    enum ach_status status = ACH_FAILED_SYSCALL;

    if (r->depth == VALUE_DEPTH_MAX)
        return bad_set("messages are nested too deeply");
    r->depth++;
    if (m)
        status = join_name(&s->arena, scope, find_name(wire, 1), &m->name);
    while (status == ACH_OK && cursor_next(&c))
        status = read_message_part(r, m, &c);
    r->depth--;
    if (status == ACH_OK && c.wrong)
        return bad_set("a message is damaged");
    if (status != ACH_OK)
        return status;
    all = value_grow(&s->arena, s->messages, s->message_count, sizeof(struct proto_message *));
    if (!all)
        return ACH_FAILED_SYSCALL;
    s->messages = all;
    all[s->message_count++] = m;
    return ACH_OK;
}

static bool text_is(struct value_text t, const char *text)
{
    return t.size == strlen(text) && memcmp(t.at, text, t.size) == 0;
}

/* The package and the syntax may be anywhere in the file, so they are read before the types. */
static enum ach_status read_file(struct set_reader *r, struct proto_wire wire)
{
    struct value_text package = find_name(wire, 2), syntax = find_name(wire, 12);
    struct set_cursor c = {.wire = wire};
    enum ach_status status = ACH_OK;
    size_t i;

    for (i = 0; i < package.size; i++)
        if (!isalnum((unsigned char)package.at[i]) && !strchr("_.", package.at[i]))
            return bad_set("a package has no valid name");
    r->rules.presence = !text_is(syntax, "proto3");
    r->rules.packed = text_is(syntax, "proto3") || text_is(syntax, "editions");
    while (status == ACH_OK && cursor_next(&c)) {
        if (cursor_has(&c, 4))
            status = read_message(r, package, c.item.bytes);
        else if (cursor_has(&c, 5))
            status = read_enum(r, package, c.item.bytes);
    }
    return status == ACH_OK && c.wrong ? bad_set("a file is damaged") : status;
}

static int compare_text(struct value_text a, struct value_text b)
{
    size_t n = a.size < b.size ? a.size : b.size;
    int order = n ? memcmp(a.at, b.at, n) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_message_name(const void *a, const void *b)
{
    return compare_text((*(struct proto_message *const *)a)->name,
                        (*(struct proto_message *const *)b)->name);
}

static int by_enum_name(const void *a, const void *b)
{
    return compare_text((*(struct proto_enum *const *)a)->name,
                        (*(struct proto_enum *const *)b)->name);
}

const struct proto_message *proto_find(const struct proto_set *set, const char *name, size_t size)
{
    struct proto_message key = {.name = {name, size}}, *p = &key, **found = NULL;

    if (set->message_count)
        found = bsearch(&p, set->messages, set->message_count, sizeof(struct proto_message *),
                        by_message_name);
    return found ? *found : NULL;
}

static const struct proto_enum *find_enum(const struct proto_set *set, struct value_text name)
{
    struct proto_enum key = {.name = name}, *p = &key, **found = NULL;

    if (set->enum_count)
        found = bsearch(&p, set->enums, set->enum_count, sizeof(struct proto_enum *), by_enum_name);
    return found ? *found : NULL;
}

bool proto_is_map(const struct proto_field *f)
{
    return f->repeated && f->message && f->message->map_entry;
}

/* A key and a value. */
static bool is_entry(const struct proto_message *m)
{
    return m->count == 2 && m->fields[0].number == 1 && m->fields[1].number == 2 &&
           !m->fields[0].repeated && !m->fields[1].repeated &&
           (packable(m->fields[0].type) || m->fields[0].type == PROTO_TYPE_STRING);
}

/* protoc writes the names of types with a dot in front. */
static enum ach_status resolve_field(const struct proto_set *set, struct proto_field *f)
{
    struct value_text name = f->type_name;

    if (f->type != PROTO_TYPE_MESSAGE && f->type != PROTO_TYPE_GROUP && f->type != PROTO_TYPE_ENUM)
        return ACH_OK;
    if (name.size && *name.at == '.') {
        name.at++;
        name.size--;
        if (f->type == PROTO_TYPE_ENUM)
            f->enumeration = find_enum(set, name);
        else
            f->message = proto_find(set, name.at, name.size);
    }
    if (!f->message && !f->enumeration)
        return ach_errstr_set(ACH_EINVAL,
                              "the schema lacks the type of the field '%.*s'; run protoc with "
                              "--include_imports",
                              (int)(f->name.size < 80 ? f->name.size : 80), f->name.at);
    if (f->message && f->message->map_entry && !is_entry(f->message))
        return bad_set("a map is not one of a key and a value");
    return ACH_OK;
}

static enum ach_status resolve_all(struct proto_set *set)
{
    enum ach_status status = ACH_OK;
    size_t i, k;

    if (set->message_count)
        qsort(set->messages, set->message_count, sizeof(struct proto_message *), by_message_name);
    if (set->enum_count)
        qsort(set->enums, set->enum_count, sizeof(struct proto_enum *), by_enum_name);
    for (i = 0; i < set->message_count; i++)
        for (k = 0; status == ACH_OK && k < set->messages[i]->count; k++)
            status = resolve_field(set, &set->messages[i]->fields[k]);
    return status;
}

enum ach_status proto_set_read(struct proto_set *set, const void *bytes, size_t size)
{
    struct set_cursor c = {.wire = {bytes, (const uint8_t *)bytes + size}};
    struct set_reader r = {.set = set};
    enum ach_status status = ACH_OK;

    memset(set, 0, sizeof(*set));
    while (status == ACH_OK && cursor_next(&c))
        if (cursor_has(&c, 1))
            status = read_file(&r, c.item.bytes);
    if (status == ACH_OK && c.wrong)
        status = bad_set("its end is missing");
    if (status == ACH_OK)
        status = resolve_all(set);
    if (status != ACH_OK)
        proto_set_finish(set);
    return status;
}

void proto_set_finish(struct proto_set *set)
{
    value_arena_finish(&set->arena);
    memset(set, 0, sizeof(*set));
}
