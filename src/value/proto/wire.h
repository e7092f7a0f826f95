/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - the wire format of Protocol Buffers: tagged fields */
#ifndef PROTO_WIRE_H
#define PROTO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are left to read. */
struct proto_wire {
    const uint8_t *at, *end;
};

enum proto_wire_type {
    PROTO_VARINT = 0,
    PROTO_FIXED64 = 1,
    PROTO_BYTES = 2, /* strings, messages, packed numbers */
    PROTO_GROUP = 3,
    PROTO_END_GROUP = 4,
    PROTO_FIXED32 = 5,
};

/* A field as it is on the wire. */
struct proto_item {
    uint32_t number;
    uint8_t type;            /* enum proto_wire_type */
    uint64_t value;          /* of a number */
    struct proto_wire bytes; /* of PROTO_BYTES */
};

/* Each returns false if the bytes are not a value of that kind. */
bool proto_read_varint(struct proto_wire *w, uint64_t *value);
bool proto_read_fixed(struct proto_wire *w, size_t size, uint64_t *value);

/* The next field. The fields of a group follow one by one. */
bool proto_read_item(struct proto_wire *w, struct proto_item *item);

/* Skip the rest of a group that has begun, nested at most VALUE_DEPTH_MAX deep. */
bool proto_skip_group(struct proto_wire *w, uint32_t number);

static inline bool proto_ended(const struct proto_wire *w)
{
    return w->at == w->end;
}

#endif
