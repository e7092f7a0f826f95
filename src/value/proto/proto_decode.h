/* SPDX-License-Identifier: BSD-3-Clause */
/* proto_decode.h - messages of Protocol Buffers as trees */
#ifndef PROTO_DECODE_H
#define PROTO_DECODE_H

#include "descriptor.h"

/*
 * Decode a message; the tree refers to its bytes and to the descriptors. Fields that are not on the
 * wire have their default, or are left out if the type distinguishes the two. A map is an object.
 * Unknown fields are ignored. ACH_CORRUPT: not a message; ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status proto_decode(const struct proto_message *type, const void *bytes, size_t size,
                             struct value_tree *t);

/* An example of a message, see codec.h. A type within itself is null. */
enum ach_status proto_example(const struct proto_message *type, struct value_tree *t);

#endif
