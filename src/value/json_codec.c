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

/* A word is a list like 1,2,3, a string if the schema says so, JSON, or else a string. */
static void resolve_word(struct value_arena *a, struct value *v, const struct value *example)
{
    struct value resolved = {.kind = VALUE_NULL};

    if (example->kind == VALUE_LIST && !value_begins(v, '[')) {
        if (value_split_word(a, v, &resolved) != ACH_OK)
            return;
    } else if (example->kind == VALUE_TEXT ||
               value_parse_json(a, v->text, v->count, &resolved) != ACH_OK) {
        resolved = *v;
        resolved.kind = VALUE_TEXT;
    }
    resolved.name = v->name;
    *v = resolved;
}

static void resolve_words(struct value_arena *a, struct value *v, const struct value *example)
{
    static const struct value any = {.kind = VALUE_NULL};
    size_t i;

    if (v->kind == VALUE_WORD)
        resolve_word(a, v, example);
    for (i = 0; (v->kind == VALUE_OBJECT || v->kind == VALUE_LIST) && i < v->count; i++) {
        struct value *item = &v->items[i];
        const struct value *of = NULL;

        if (v->kind == VALUE_OBJECT && example->kind == VALUE_OBJECT)
            of = value_member(example, item->name.at, item->name.size);
        else if (v->kind == VALUE_LIST && example->kind == VALUE_LIST && example->count)
            of = &example->items[0];
        resolve_words(a, item, of ? of : &any);
    }
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
    if (status == ACH_OK) {
        resolve_words(&t.arena, &t.root, example);
        value_json(&t.root, to);
    }
    value_tree_finish(&t);
    return status;
}

const struct value_encoding value_encoding_json = {
    .name = "json", .open = json_open, .decode = json_decode, .encode = json_encode};
