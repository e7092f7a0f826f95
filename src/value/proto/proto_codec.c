/* SPDX-License-Identifier: BSD-3-Clause */
/* proto_codec.c - the encoding protobuf, whose schema is a FileDescriptorSet */
#include <stdlib.h>
#include <string.h>

#include "../codec.h"
#include "../json_parse.h"
#include "../words.h"
#include "proto_decode.h"
#include "proto_encode.h"

struct proto_codec {
    struct proto_set set;
    const struct proto_message *type;
    char *schema; /* the set refers to it */
};

static void protobuf_close(void *state)
{
    struct proto_codec *c = state;

    proto_set_finish(&c->set);
    free(c->schema);
    free(c);
}

static enum ach_status open_set(struct proto_codec *c, const ach_channel_type_t *type,
                                struct value_tree *example)
{
    enum ach_status status;

    memcpy(c->schema, type->schema, type->schema_size);
    status = proto_set_read(&c->set, c->schema, type->schema_size);
    if (status != ACH_OK)
        return status;
    c->type = proto_find(&c->set, type->name, strlen(type->name));
    if (!c->type)
        return ach_errstr_set(ACH_EINVAL, "the schema has no message '%.80s'", type->name);
    return proto_example(c->type, example);
}

static enum ach_status protobuf_open(const ach_channel_type_t *type, void **state,
                                     struct value_tree *example)
{
    struct proto_codec *c = calloc(1, sizeof(*c));
    enum ach_status status = ACH_FAILED_SYSCALL;

    if (c)
        c->schema = malloc(type->schema_size + 1);
    if (c && c->schema)
        status = open_set(c, type, example);
    else
        ach_errstr_set(status, "no memory for the schema");
    if (status == ACH_OK)
        *state = c;
    else if (c)
        protobuf_close(c);
    return status;
}

static enum ach_status protobuf_decode(void *state, const void *bytes, size_t size,
                                       struct value_tree *t)
{
    const struct proto_codec *c = state;

    return proto_decode(c->type, bytes, size, t);
}

static enum ach_status protobuf_encode(void *state, const struct value *example,
                                       const struct value_source *source, FILE *to)
{
    const struct proto_codec *c = state;
    struct value_tree t = {.root = {.kind = VALUE_NULL}};
    enum ach_status status;

    if (source->json)
        status = value_parse_json(&t.arena, source->json, strlen(source->json), &t.root);
    else
        status = value_from_words(&t, source->words, source->count, example);
    if (status == ACH_OK && t.root.kind != VALUE_OBJECT)
        status = ach_errstr_set(ACH_EINVAL, "expected an object {...}");
    if (status == ACH_OK)
        status = proto_encode(&t.arena, c->type, &t.root, to);
    value_tree_finish(&t);
    return status;
}

const struct value_encoding value_encoding_protobuf = {.name = "protobuf",
                                                       .schemas = {"protobuf"},
                                                       .open = protobuf_open,
                                                       .close = protobuf_close,
                                                       .decode = protobuf_decode,
                                                       .encode = protobuf_encode};
