/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.h - message types of Protocol Buffers, from a FileDescriptorSet
 *
 * protoc --descriptor_set_out --include_imports writes such a set. It is not trusted: names consist
 * of letters, digits and '_', every type that is used exists, and numbers are limited.
 */
#ifndef PROTO_DESCRIPTOR_H
#define PROTO_DESCRIPTOR_H

#include <ach.h>

#include "../value.h"
#include "wire.h"

/* More fields of one message are refused: each message that is decoded has room for all. */
#define PROTO_FIELDS_MAX 2048u

/* More constants are refused: each number is searched for among them. */
#define PROTO_CONSTANTS_MAX 2048u

/* Types of fields; the numbers are those of descriptor.proto. */
enum proto_type {
    PROTO_TYPE_DOUBLE = 1,
    PROTO_TYPE_FLOAT,
    PROTO_TYPE_INT64,
    PROTO_TYPE_UINT64,
    PROTO_TYPE_INT32,
    PROTO_TYPE_FIXED64,
    PROTO_TYPE_FIXED32,
    PROTO_TYPE_BOOL,
    PROTO_TYPE_STRING,
    PROTO_TYPE_GROUP,
    PROTO_TYPE_MESSAGE,
    PROTO_TYPE_BYTES,
    PROTO_TYPE_UINT32,
    PROTO_TYPE_ENUM,
    PROTO_TYPE_SFIXED32,
    PROTO_TYPE_SFIXED64,
    PROTO_TYPE_SINT32,
    PROTO_TYPE_SINT64,
};

struct proto_constant {
    struct value_text name;
    int32_t number;
};

struct proto_enum {
    struct value_text name; /* with its package */
    struct proto_constant *constants;
    size_t count;
};

struct proto_field {
    struct value_text name, type_name;
    uint32_t number;
    uint8_t type; /* enum proto_type */
    bool repeated;
    bool packed;   /* to be encoded as packed */
    bool presence; /* absent is not the same as 0 */
    bool optional; /* proto3: it says `optional` */
    int32_t oneof; /* -1: none */
    const struct proto_message *message;
    const struct proto_enum *enumeration;
};

struct proto_message {
    struct value_text name; /* with its package */
    struct proto_field *fields;
    size_t count;
    bool map_entry;
};

struct proto_set {
    struct value_arena arena;
    struct proto_message **messages; /* sorted by name */
    size_t message_count;
    struct proto_enum **enums;
    size_t enum_count;
};

/* The set refers to the bytes. ACH_EINVAL: not such a set; ACH_FAILED_SYSCALL: no memory. */
enum ach_status proto_set_read(struct proto_set *set, const void *bytes, size_t size);
void proto_set_finish(struct proto_set *set);

/* A message type by its full name, such as "demo.Pose"; NULL: there is none. */
const struct proto_message *proto_find(const struct proto_set *set, const char *name, size_t size);

/* Is it a map? Each of its elements is a message with a key and a value. */
bool proto_is_map(const struct proto_field *f);

#endif
