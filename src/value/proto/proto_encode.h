/* SPDX-License-Identifier: BSD-3-Clause */
/* proto_encode.h - messages of Protocol Buffers from trees */
#ifndef PROTO_ENCODE_H
#define PROTO_ENCODE_H

#include <stdio.h>

#include "descriptor.h"

/*
 * Encode an object made of JSON or words. A list may be the word 1,2,3, and a message or a list a
 * word of JSON. ACH_EINVAL: a field or a value is wrong; ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status proto_encode(struct value_arena *a, const struct proto_message *type,
                             const struct value *object, FILE *to);

#endif
