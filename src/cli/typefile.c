/* SPDX-License-Identifier: BSD-3-Clause */
#include "typefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

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

/* Read a file of up to ACH_TYPE_SCHEMA_MAX bytes. */
static bool read_schema(const char *file, ach_channel_type_t *type)
{
    FILE *f = fopen(file, "re");
    char *bytes = malloc(ACH_TYPE_SCHEMA_MAX + 1);
    bool read = false;

    if (!f || !bytes) {
        complain("cannot read the schema %s: %s", file, strerror(errno));
    } else {
        errno = 0;
        type->schema_size = fread(bytes, 1, ACH_TYPE_SCHEMA_MAX + 1, f);
        if (ferror(f))
            complain("cannot read the schema %s: %s", file, strerror(errno));
        else if (type->schema_size == 0)
            complain("the schema %s is empty", file);
        else if (type->schema_size > ACH_TYPE_SCHEMA_MAX)
            complain("the schema %s is larger than %d bytes", file, ACH_TYPE_SCHEMA_MAX);
        else
            read = true;
    }
    if (f)
        fclose(f);
    if (read)
        type->schema = bytes;
    else
        free(bytes);
    return read;
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
    return !words->file || read_schema(words->file, type) ? EXIT_OK : EXIT_FAILED;
}
