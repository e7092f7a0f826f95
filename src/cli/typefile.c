/* SPDX-License-Identifier: BSD-3-Clause */
#include "typefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "nested.h"
#include "schemafile.h"

static const struct ending {
    const char *text, *schema_encoding, *encoding;
} endings[] = {
    {".msg", "ros2msg", "cdr"},
    {".json", "jsonschema", "json"},
    {".fds", "protobuf", "protobuf"}, /* protoc --descriptor_set_out */
    {".desc", "protobuf", "protobuf"},
};

static const struct ending *ending_of(const char *file)
{
    size_t i, n = strlen(file);

    for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t tail = strlen(endings[i].text);

        if (n > tail && strcmp(file + n - tail, endings[i].text) == 0)
            return &endings[i];
    }
    return NULL;
}

bool type_include(struct type_words *words, const char *directory)
{
    if (words->include_count == TYPE_INCLUDE_MAX) {
        usage("--include can be given %d times", TYPE_INCLUDE_MAX);
        return false;
    }
    words->include[words->include_count++] = directory;
    return true;
}

char *type_name_of_file(const char *file)
{
    char *path = realpath(file, NULL), *name = NULL, *slash, *msg;

    if (!path) {
        complain("cannot read the schema %s: %s", file, strerror(errno));
        return NULL;
    }
    path[strlen(path) - strlen(".msg")] = '\0';
    slash = strrchr(path, '/');
    *slash = '\0';
    msg = strrchr(path, '/');
    if (msg && msg > path && strcmp(msg, "/msg") == 0) {
        *msg = '\0';
        msg = strrchr(path, '/') + 1;
    } else {
        msg = NULL;
    }
    if (asprintf(&name, "%s%s%s", msg ? msg : "", msg ? "/msg/" : "", slash + 1) < 0) {
        complain("no memory for a name");
        name = NULL;
    }
    free(path);
    return name;
}

static bool is_definition(const ach_channel_type_t *type)
{
    return strcmp(type->schema_encoding, "ros2msg") == 0 ||
           strcmp(type->schema_encoding, "ros1msg") == 0;
}

/* Read the schema, and what it uses. False after complaining. */
static bool read_schema(const struct type_words *words, ach_channel_type_t *type)
{
    char *bytes;
    bool ok = true;

    if (!schema_read(words->file, &bytes, &type->schema_size))
        return false;
    type->schema = bytes;
    if (type->schema_size == 0) {
        type->schema_encoding = NULL;
        ok = words->complete; /* a message without fields */
        if (!ok)
            complain("the schema %s is empty", words->file);
    } else if (is_definition(type)) {
        ok = nested_add(words, type);
    }
    if (!ok)
        free((void *)type->schema);
    return ok;
}

int type_read(const struct type_words *words, ach_channel_type_t *type)
{
    const struct ending *ending = words->file ? ending_of(words->file) : NULL;

    memset(type, 0, sizeof(*type));
    type->name = words->name;
    type->encoding = words->encoding ? words->encoding : ending ? ending->encoding : NULL;
    type->schema_encoding = words->schema_encoding ? words->schema_encoding
                            : ending               ? ending->schema_encoding
                                                   : NULL;
    if (!type->name)
        return usage("a type needs a name: --type");
    if (!type->encoding)
        return usage("a type needs the encoding of its messages: --encoding");
    if (words->file && !type->schema_encoding)
        return usage("what is the schema written in? --schema-encoding");
    return !words->file || read_schema(words, type) ? EXIT_OK : EXIT_FAILED;
}
