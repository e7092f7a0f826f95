/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codec.h - messages of typed channels as trees, and back
 *
 * A codec belongs to one channel type. Each encoding is a struct value_encoding; a build has those
 * that encodings.c or encodings_plain.c lists. Neither schemas nor messages are trusted.
 */
#ifndef VALUE_CODEC_H
#define VALUE_CODEC_H

#include <ach.h>
#include <stdio.h>

#include "value.h"

/* What a message shall be: JSON, or words if it is NULL. */
struct value_source {
    const char *json;
    const char *const *words;
    size_t count; /* of words */
};

struct value_encoding {
    const char *name;
    const char *schemas[2]; /* schema encodings; none: any, and none at all */

    /*
     * Parse the schema. *state is freed with close. The tree becomes an example of a message: lists
     * of variable length have at most one item, null stands for what is unknown.
     */
    enum ach_status (*open)(const ach_channel_type_t *type, void **state,
                            struct value_tree *example);
    void (*close)(void *state); /* NULL: there is no state */

    /* The tree may refer to the bytes. ACH_CORRUPT: not such a message. */
    enum ach_status (*decode)(void *state, const void *bytes, size_t size, struct value_tree *t);

    /* Write a message. ACH_EINVAL: there is no such message. */
    enum ach_status (*encode)(void *state, const struct value *example,
                              const struct value_source *source, FILE *to);
};

extern const struct value_encoding value_encoding_ros, value_encoding_xdr, value_encoding_protobuf,
    value_encoding_json, value_encoding_text;

/* All encodings of this build, terminated by NULL. */
extern const struct value_encoding *const value_encodings[];

struct value_codec {
    const struct value_encoding *encoding; /* NULL: none is known for the type */
    void *state;
    struct value_tree example;
};

/*
 * Find the encoding of a type. Copy a type that is in shared memory before. ACH_OK; ACH_ENOTSUP:
 * the encoding is not known; ACH_EINVAL: the schema is wrong; ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status value_codec_open(struct value_codec *c, const ach_channel_type_t *type);
void value_codec_close(struct value_codec *c);

/* Decode a message into a tree whose members are all 0. Finish the tree in any case. */
enum ach_status value_codec_decode(const struct value_codec *c, const void *bytes, size_t size,
                                   struct value_tree *t);

/* Make a message, to be freed. ACH_EINVAL: wrong fields; ACH_FAILED_SYSCALL: no memory. */
enum ach_status value_codec_encode(const struct value_codec *c, const struct value_source *source,
                                   void **bytes, size_t *size);

#endif
