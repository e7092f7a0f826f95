/* SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "utf8.h"

static bool kind_is_utf8(const char *text, size_t size)
{
    size_t n;

    for (; size; text += n, size -= n) {
        n = utf8_length(text, size);
        if (!n)
            return false;
    }
    return true;
}

static bool kind_is(const ach_channel_type_t *type, const char *encoding, const char *schema)
{
    const char *s = type->schema_encoding ? type->schema_encoding : "";

    return strcmp(type->encoding, encoding) == 0 && strcmp(s, schema) == 0;
}

/* ROS 2 calls a message pkg/msg/Name. */
static char *kind_ros2_name(const char *name)
{
    const char *slash = strchr(name, '/');
    char *full;

    if (!slash || strchr(slash + 1, '/'))
        return strdup(name);
    if (asprintf(&full, "%.*s/msg/%s", (int)(slash - name), name, slash + 1) < 0)
        return NULL;
    return full;
}

static void kind_schema(struct feed_typed *t, const char *name, const char *encoding,
                        const void *schema, size_t size)
{
    t->kind.schema_name = name;
    t->kind.schema_encoding = encoding;
    t->kind.schema = schema;
    t->kind.schema_size = size;
}

static void kind_cdr(struct feed_typed *t, const ach_channel_type_t *type)
{
    const bool ros1 = strcmp(type->schema_encoding, "ros1msg") == 0;

    t->name = kind_ros2_name(type->name);
    if (!t->name ||
        (ros1 && !feed_device_rewrite(t->name, type->schema, type->schema_size, &t->text)))
        return;
    t->kind.encoding = "cdr";
    if (ros1)
        kind_schema(t, t->name, "ros2msg", t->text, strlen(t->text));
    else
        kind_schema(t, t->name, "ros2msg", type->schema, type->schema_size);
}

static void kind_xdr(struct feed_typed *t, const ach_channel_type_t *type)
{
    const struct ach_type *table = feed_device_table(type->name);

    if (!table || !feed_device_definition(table, &t->name, &t->text))
        return;
    t->table = table;
    t->kind.encoding = "cdr";
    kind_schema(t, t->name, "ros2msg", t->text, strlen(t->text));
}

static void kind_plain(struct feed_typed *t, const ach_channel_type_t *type, const char *encoding,
                       const char *schema_encoding)
{
    t->kind.encoding = encoding;
    if (*schema_encoding)
        kind_schema(t, type->name, schema_encoding, type->schema, type->schema_size);
}

/* The texts of a type come from whoever created the channel. */
static bool kind_is_sound(const ach_channel_type_t *type)
{
    const bool binary = type->schema_encoding && strcmp(type->schema_encoding, "protobuf") == 0;

    return kind_is_utf8(type->name, strlen(type->name)) &&
           kind_is_utf8(type->encoding, strlen(type->encoding)) &&
           (binary || kind_is_utf8(type->schema, type->schema_size));
}

void feed_kind_find(struct feed_typed *t, const ach_channel_type_t *type)
{
    memset(t, 0, sizeof(*t));
    t->kind.encoding = t->kind.type_name = t->kind.type_encoding = "";
    kind_schema(t, "", "", "", 0);
    if (!type || !kind_is_sound(type))
        return;
    t->kind.type_name = type->name;
    t->kind.type_encoding = type->encoding;
    if (kind_is(type, "cdr", "ros2msg") || kind_is(type, "cdr", "ros1msg"))
        kind_cdr(t, type);
    else if (kind_is(type, "ros1", "ros1msg"))
        kind_plain(t, type, "ros1", "ros1msg");
    else if (kind_is(type, "protobuf", "protobuf"))
        kind_plain(t, type, "protobuf", "protobuf");
    else if (kind_is(type, "json", "jsonschema"))
        kind_plain(t, type, "json", "jsonschema");
    else if (kind_is(type, "json", ""))
        kind_plain(t, type, "json", "");
    else if (strcmp(type->encoding, "xdr") == 0)
        kind_xdr(t, type);
}

void feed_kind_finish(struct feed_typed *t)
{
    free(t->name);
    free(t->text);
}
