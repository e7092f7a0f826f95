/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"

#include <stdlib.h>
#include <string.h>

/* A short schema of fixed lists in lists can describe any number of values. */
#define EXAMPLE_MAX (16u << 20)

static bool codec_fits(const struct value_encoding *e, const ach_channel_type_t *type)
{
    size_t i;

    if (strcmp(e->name, type->encoding) != 0)
        return false;
    for (i = 0; i < sizeof(e->schemas) / sizeof(e->schemas[0]) && e->schemas[i]; i++)
        if (type->schema_encoding && strcmp(e->schemas[i], type->schema_encoding) == 0)
            return true;
    return i == 0;
}

enum ach_status value_codec_open(struct value_codec *c, const ach_channel_type_t *type)
{
    enum ach_status status;
    size_t i;

    memset(c, 0, sizeof(*c));
    for (i = 0; value_encodings[i] && !codec_fits(value_encodings[i], type);)
        i++;
    if (!value_encodings[i])
        return ach_errstr_set(ACH_ENOTSUP,
                              "messages in '%s' with a schema in '%s' cannot be decoded",
                              type->encoding, type->schema_encoding ? type->schema_encoding : "");
    c->example.arena.limit = EXAMPLE_MAX;
    status = value_encodings[i]->open(type, &c->state, &c->example);
    if (status == ACH_OK)
        c->encoding = value_encodings[i];
    else
        value_tree_finish(&c->example);
    return status;
}

void value_codec_close(struct value_codec *c)
{
    if (c->encoding && c->encoding->close)
        c->encoding->close(c->state);
    value_tree_finish(&c->example);
    memset(c, 0, sizeof(*c));
}

enum ach_status value_codec_decode(const struct value_codec *c, const void *bytes, size_t size,
                                   struct value_tree *t)
{
    return c->encoding->decode(c->state, bytes, size, t);
}

enum ach_status value_codec_encode(const struct value_codec *c, const struct value_source *source,
                                   void **bytes, size_t *size)
{
    char *written = NULL;
    FILE *to = open_memstream(&written, size);
    enum ach_status status = ACH_FAILED_SYSCALL;

    if (to) {
        status = c->encoding->encode(c->state, &c->example.root, source, to);
        if (fclose(to) != 0 && status == ACH_OK)
            status = ACH_FAILED_SYSCALL;
    }
    if (status == ACH_FAILED_SYSCALL)
        ach_errstr_set(status, "no memory for the message");
    if (status == ACH_OK)
        *bytes = written;
    else
        free(written);
    return status;
}
