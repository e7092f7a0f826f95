/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

#include "../value.h"

#define NUMBER_MAX 536870911u /* of a field */
#define VARINT_MAX 10u        /* bytes */

bool proto_read_varint(struct proto_wire *w, uint64_t *value)
{
    unsigned i;

    *value = 0;
    for (i = 0; i < VARINT_MAX && !proto_ended(w); i++) {
        uint8_t byte = *w->at++;

        *value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

bool proto_read_fixed(struct proto_wire *w, size_t size, uint64_t *value)
{
    size_t i;

    if ((size_t)(w->end - w->at) < size)
        return false;
    *value = 0;
    for (i = 0; i < size; i++)
        *value |= (uint64_t)w->at[i] << (8 * i);
    w->at += size;
    return true;
}

static bool read_bytes(struct proto_wire *w, struct proto_wire *bytes)
{
    uint64_t size;

    if (!proto_read_varint(w, &size) || size > (uint64_t)(w->end - w->at))
        return false;
    *bytes = (struct proto_wire){w->at, w->at + size};
    w->at += size;
    return true;
}

bool proto_read_item(struct proto_wire *w, struct proto_item *item)
{
    uint64_t tag;

    if (!proto_read_varint(w, &tag) || tag >> 3 == 0 || tag >> 3 > NUMBER_MAX)
        return false;
    item->number = (uint32_t)(tag >> 3);
    item->type = tag & 7;
    switch (item->type) {
    case PROTO_VARINT:
        return proto_read_varint(w, &item->value);
    case PROTO_FIXED64:
        return proto_read_fixed(w, 8, &item->value);
    case PROTO_FIXED32:
        return proto_read_fixed(w, 4, &item->value);
    case PROTO_BYTES:
        return read_bytes(w, &item->bytes);
    default:
        return item->type == PROTO_GROUP || item->type == PROTO_END_GROUP;
    }
}

bool proto_skip_group(struct proto_wire *w, uint32_t number)
{
    uint32_t open[VALUE_DEPTH_MAX] = {number};
    unsigned depth = 1;
    struct proto_item item;

    while (depth) {
        if (!proto_read_item(w, &item))
            return false;
        if (item.type == PROTO_GROUP) {
            if (depth == VALUE_DEPTH_MAX)
                return false;
            open[depth++] = item.number;
        } else if (item.type == PROTO_END_GROUP && open[--depth] != item.number) {
            return false;
        }
    }
    return true;
}
