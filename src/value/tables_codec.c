/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tables_codec.c - the encodings that libachxdr's tables describe
 *
 * cdr: the schema is a definition of ROS. xdr: the type's name is a struct of an interface, such as
 * laser.data, and needs no schema.
 */
#include <ach/definition.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "tables.h"

static enum ach_status table_example(const ach_type_t *type, struct value_tree *example)
{
    return value_from_body(&example->arena, type, NULL, &example->root);
}

static enum ach_status ros_open(const ach_channel_type_t *type, void **state,
                                struct value_tree *example)
{
    ach_definition_t *d = NULL;
    enum ach_status status = ach_definition_new(type->name, type->schema, type->schema_size, &d);

    if (status == ACH_OK)
        status = table_example(ach_definition_type(d), example);
    if (status == ACH_OK)
        *state = d;
    else
        ach_definition_free(d);
    return status;
}

static void ros_close(void *state)
{
    ach_definition_free(state);
}

/* The body belongs to the tree. */
static enum ach_status take_body(const ach_type_t *type, void *body, struct value_tree *t)
{
    if (!value_adopt(&t->arena, body))
        return ACH_FAILED_SYSCALL;
    return value_from_body(&t->arena, type, body, &t->root);
}

static enum ach_status ros_decode(void *state, const void *bytes, size_t size, struct value_tree *t)
{
    const ach_type_t *type = ach_definition_type(state);
    void *body = NULL;
    enum ach_status status = ach_cdr_decode_new(type, bytes, size, &body);

    return status == ACH_OK ? take_body(type, body, t) : status;
}

typedef enum ach_status encode_t(const ach_type_t *, const void *, void *, size_t, size_t *);

static enum ach_status table_encode(const ach_type_t *type, const struct value_source *s,
                                    encode_t *encode, FILE *to)
{
    void *body = NULL, *bytes = malloc(ACH_BODY_MAX);
    size_t size = 0;
    enum ach_status status = ACH_FAILED_SYSCALL;

    if (bytes && s->json)
        status = ach_body_from_json(type, s->json, &body);
    else if (bytes)
        status = ach_body_from_words(type, s->words, s->count, &body);
    if (status == ACH_OK)
        status = encode(type, body, bytes, ACH_BODY_MAX, &size);
    if (status == ACH_OK)
        fwrite(bytes, 1, size, to);
    free(body);
    free(bytes);
    return status;
}

static enum ach_status ros_encode(void *state, const struct value *example,
                                  const struct value_source *source, FILE *to)
{
    (void)example;
    return table_encode(ach_definition_type(state), source, ach_cdr_encode, to);
}

const ach_type_t *value_interface_type(const char *name)
{
    const ach_interface_t *interface;
    size_t i;
    uint32_t k;

    for (i = 0; (interface = ach_interface_at(i)); i++)
        for (k = 0; k < interface->type_count; k++)
            if (strcmp(interface->types[k]->name, name) == 0)
                return interface->types[k];
    return NULL;
}

static enum ach_status xdr_open(const ach_channel_type_t *type, void **state,
                                struct value_tree *example)
{
    const ach_type_t *table = value_interface_type(type->name);

    if (!table)
        return ach_errstr_set(ACH_ENOTSUP, "no interface has a message '%.80s'", type->name);
    *state = (void *)(uintptr_t)table;
    return table_example(table, example);
}

static enum ach_status xdr_decode(void *state, const void *bytes, size_t size, struct value_tree *t)
{
    void *body = NULL;
    enum ach_status status = ach_decode_new(state, bytes, size, &body);

    return status == ACH_OK ? take_body(state, body, t) : status;
}

static enum ach_status xdr_encode(void *state, const struct value *example,
                                  const struct value_source *source, FILE *to)
{
    (void)example;
    return table_encode(state, source, ach_encode, to);
}

const struct value_encoding value_encoding_ros = {.name = "cdr",
                                                  .schemas = {"ros2msg", "ros1msg"},
                                                  .open = ros_open,
                                                  .close = ros_close,
                                                  .decode = ros_decode,
                                                  .encode = ros_encode};

const struct value_encoding value_encoding_xdr = {
    .name = "xdr", .open = xdr_open, .decode = xdr_decode, .encode = xdr_encode};
