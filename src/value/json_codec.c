/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_codec.c - the encoding json
 *
 * A schema in JSON Schema only tells the names and types of fields. Messages need not follow it.
 */
#include <string.h>

#include "codec.h"
#include "format.h"
#include "json_parse.h"
#include "path.h"
#include "words.h"

static const struct value *schema_member(const struct value *schema, const char *name)
{
    return schema->kind == VALUE_OBJECT ? value_member(schema, name, strlen(name)) : NULL;
}

static bool schema_says(const struct value *schema, const char *type)
{
    const struct value *v = schema_member(schema, "type");

    return v && v->kind == VALUE_TEXT && v->count == strlen(type) &&
           memcmp(v->text, type, v->count) == 0;
}

/* An example of what a schema describes. The depth of the schema is bounded by its parser. */
static enum ach_status schema_example(struct value_arena *a, const struct value *schema,
                                      struct value *v)
{
    const struct value *members = schema_member(schema, "properties"),
                       *items = schema_member(schema, "items");
    enum ach_status status = ACH_OK;
    size_t i;

    if (members && members->kind == VALUE_OBJECT) {
        v->kind = VALUE_OBJECT;
        for (i = 0; status == ACH_OK && i < members->count; i++) {
            const struct value *m = &members->items[i];
            struct value *to = value_add(a, v, m->name.at, m->name.size);

            status = to ? schema_example(a, m, to) : ACH_FAILED_SYSCALL;
        }
    } else if (schema_says(schema, "array")) {
        v->kind = VALUE_LIST;
        if (items) {
            struct value *to = value_add(a, v, NULL, 0);

            status = to ? schema_example(a, items, to) : ACH_FAILED_SYSCALL;
        }
    } else if (schema_says(schema, "string")) {
        v->kind = VALUE_TEXT;
    } else if (schema_says(schema, "boolean")) {
        v->kind = VALUE_BOOL;
    } else if (schema_says(schema, "number") || schema_says(schema, "integer")) {
        v->kind = VALUE_DOUBLE;
    }
    return status;
}

static enum ach_status json_open(const ach_channel_type_t *type, void **state,
                                 struct value_tree *example)
{
    struct value schema = {.kind = VALUE_NULL};
    enum ach_status status;

    (void)state;
    if (!type->schema_size || !type->schema_encoding ||
        strcmp(type->schema_encoding, "jsonschema") != 0)
        return ACH_OK;
    status = value_parse_json(&example->arena, type->schema, type->schema_size, &schema);
    return status == ACH_OK ? schema_example(&example->arena, &schema, &example->root) : status;
}

static enum ach_status json_decode(void *state, const void *bytes, size_t size,
                                   struct value_tree *t)
{
    const char *text = bytes;
    enum ach_status status;

    (void)state;
    if (size && text[size - 1] == '\0') /* as C programs put strings */
        size--;
    status = value_parse_json(&t->arena, text, size, &t->root);
    return status == ACH_EINVAL ? ACH_CORRUPT : status;
}

static void word_write(struct value_arena *a, const struct value *v, const struct value *example,
                       FILE *to);

/* 1,2,3 for a list. */
static void list_write(struct value_arena *a, const struct value *v, const struct value *example,
                       FILE *to)
{
    struct value part = {.kind = VALUE_WORD};
    struct value any = {.kind = VALUE_NULL};
    const char *at = v->text, *end = at + v->count, *comma = v->count ? at : NULL;

    putc('[', to);
    while (comma) {
        comma = memchr(at, ',', (size_t)(end - at));
        part.text = at;
        part.count = (size_t)((comma ? comma : end) - at);
        word_write(a, &part, example->count ? &example->items[0] : &any, to);
        fputs(comma ? ", " : "", to);
        at = comma ? comma + 1 : end;
    }
    putc(']', to);
}

/* A string if the schema says so, or if it is not JSON. */
static void word_write(struct value_arena *a, const struct value *v, const struct value *example,
                       FILE *to)
{
    struct value parsed = {.kind = VALUE_NULL};

    if (example->kind == VALUE_LIST && !value_begins(v, '['))
        list_write(a, v, example, to);
    else if (example->kind != VALUE_TEXT &&
             value_parse_json(a, v->text, v->count, &parsed) == ACH_OK)
        value_json(&parsed, to);
    else
        value_json(v, to);
}

static void json_write(struct value_arena *a, const struct value *v, const struct value *example,
                       FILE *to)
{
    static const struct value any = {.kind = VALUE_NULL};
    bool object = v->kind == VALUE_OBJECT;
    struct value name = {.kind = VALUE_TEXT};
    size_t i;

    if (v->kind == VALUE_WORD) {
        word_write(a, v, example, to);
        return;
    }
    if (!object && v->kind != VALUE_LIST) {
        value_json(v, to);
        return;
    }
    putc(object ? '{' : '[', to);
    for (i = 0; i < v->count; i++) {
        const struct value *item = &v->items[i], *of = &any;

        fputs(i ? ", " : "", to);
        if (object) {
            name.text = item->name.at;
            name.count = item->name.size;
            value_json(&name, to);
            fputs(": ", to);
        }
        if (object && example->kind == VALUE_OBJECT)
            of = value_member(example, item->name.at, item->name.size);
        else if (!object && example->kind == VALUE_LIST && example->count)
            of = &example->items[0];
        json_write(a, item, of ? of : &any, to);
    }
    putc(object ? '}' : ']', to);
}

static enum ach_status json_encode(void *state, const struct value *example,
                                   const struct value_source *source, FILE *to)
{
    struct value_tree t = {.root = {.kind = VALUE_NULL}};
    enum ach_status status;

    (void)state;
    if (source->json)
        status = value_parse_json(&t.arena, source->json, strlen(source->json), &t.root);
    else
        status = value_from_words(&t, source->words, source->count, example);
    if (status == ACH_OK)
        json_write(&t.arena, &t.root, example, to);
    value_tree_finish(&t);
    return status;
}

const struct value_encoding value_encoding_json = {
    .name = "json", .open = json_open, .decode = json_decode, .encode = json_encode};
