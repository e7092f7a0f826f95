/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * proto_decode.c - messages of Protocol Buffers as trees
 *
 * While a message is read, its object has a slot for each field of its type, null if the field is
 * absent, because fields come in any order and more than once. Afterwards the slots are filled with
 * defaults, named and compacted.
 */
#include "proto_decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXAMPLE_VALUES_MAX 10000u

static uint8_t wire_type_of(unsigned type)
{
    switch (type) {
    case PROTO_TYPE_DOUBLE:
    case PROTO_TYPE_FIXED64:
    case PROTO_TYPE_SFIXED64:
        return PROTO_FIXED64;
    case PROTO_TYPE_FLOAT:
    case PROTO_TYPE_FIXED32:
    case PROTO_TYPE_SFIXED32:
        return PROTO_FIXED32;
    case PROTO_TYPE_STRING:
    case PROTO_TYPE_BYTES:
    case PROTO_TYPE_MESSAGE:
    case PROTO_TYPE_GROUP:
        return PROTO_BYTES;
    default:
        return PROTO_VARINT;
    }
}

static int64_t zigzag(uint64_t raw)
{
    return (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
}

static struct value enum_value(const struct proto_enum *e, uint64_t raw)
{
    struct value v = {.kind = VALUE_INT, .i = (int32_t)raw};
    size_t i;

    for (i = 0; i < e->count; i++) {
        if (e->constants[i].number != (int32_t)raw)
            continue;
        v.kind = VALUE_ENUM;
        v.text = e->constants[i].name.at;
        v.count = e->constants[i].name.size;
        break;
    }
    return v;
}

/* The value of a number as it is on the wire. */
static struct value number_value(const struct proto_field *f, uint64_t raw)
{
    struct value v = {.kind = VALUE_INT};
    uint32_t low = (uint32_t)raw;
    float real;

    switch (f->type) {
    case PROTO_TYPE_DOUBLE:
        v.kind = VALUE_DOUBLE;
        memcpy(&v.real, &raw, sizeof(raw));
        break;
    case PROTO_TYPE_FLOAT:
        memcpy(&real, &low, sizeof(real));
        v.kind = VALUE_FLOAT;
        v.real = (double)real;
        break;
    case PROTO_TYPE_BOOL:
        v.kind = VALUE_BOOL;
        v.truth = raw != 0;
        break;
    case PROTO_TYPE_ENUM:
        return enum_value(f->enumeration, raw);
    case PROTO_TYPE_UINT64:
    case PROTO_TYPE_FIXED64:
        v.kind = VALUE_UINT;
        v.u = raw;
        break;
    case PROTO_TYPE_UINT32:
    case PROTO_TYPE_FIXED32:
        v.kind = VALUE_UINT;
        v.u = low;
        break;
    case PROTO_TYPE_SINT32:
        v.i = zigzag(low);
        break;
    case PROTO_TYPE_SINT64:
        v.i = zigzag(raw);
        break;
    case PROTO_TYPE_INT32:
    case PROTO_TYPE_SFIXED32:
        v.i = (int32_t)low;
        break;
    default:
        v.i = (int64_t)raw;
        break;
    }
    return v;
}

/* A list for the values of a repeated field. Numbers are packed in memory. */
static void begin_list(const struct proto_field *f, struct value *v)
{
    struct value zero;

    v->kind = VALUE_LIST;
    if (wire_type_of(f->type) == PROTO_BYTES || f->type == PROTO_TYPE_ENUM)
        return;
    zero = number_value(f, 0);
    v->kind = VALUE_PACKED;
    v->element = zero.kind == VALUE_DOUBLE  ? VALUE_FLOAT64
                 : zero.kind == VALUE_FLOAT ? VALUE_FLOAT32
                 : zero.kind == VALUE_BOOL  ? VALUE_BOOL8
                 : zero.kind == VALUE_UINT  ? VALUE_UINT64
                                            : VALUE_INT64;
}

static bool append_number(struct value_arena *a, const struct proto_field *f, struct value *list,
                          uint64_t raw)
{
    struct value v = number_value(f, raw), *item;
    float real = (float)(v.kind == VALUE_FLOAT ? v.real : 0);
    uint8_t truth = v.kind == VALUE_BOOL && v.truth;

    if (list->kind == VALUE_LIST) {
        item = value_add(a, list, NULL, 0);
        if (item)
            *item = v;
        return item != NULL;
    }
    switch (v.kind) {
    case VALUE_FLOAT:
        return value_add_number(a, list, &real);
    case VALUE_BOOL:
        return value_add_number(a, list, &truth);
    case VALUE_DOUBLE:
        return value_add_number(a, list, &v.real);
    case VALUE_UINT:
        return value_add_number(a, list, &v.u);
    default:
        return value_add_number(a, list, &v.i);
    }
}

struct proto_decoder {
    struct value_arena *arena;
    unsigned depth;
};

static enum ach_status damaged(const struct proto_message *type)
{
    return ach_errstr_set(ACH_CORRUPT, "%.*s: the message is damaged or ends too early",
                          (int)type->name.size, type->name.at);
}

static enum ach_status unpack(struct proto_decoder *d, const struct proto_message *type,
                              const struct proto_field *f, struct proto_wire w, struct value *list)
{
    uint8_t wire_type = wire_type_of(f->type);
    uint64_t raw;

    while (!proto_ended(&w)) {
        bool ok = wire_type == PROTO_VARINT
                      ? proto_read_varint(&w, &raw)
                      : proto_read_fixed(&w, wire_type == PROTO_FIXED64 ? 8 : 4, &raw);

        if (!ok)
            return damaged(type);
        if (!append_number(d->arena, f, list, raw))
            return ACH_FAILED_SYSCALL;
    }
    return ACH_OK;
}

/* Only one field of a oneof is set. */
static void clear_oneof(const struct proto_message *type, const struct proto_field *f,
                        struct value *object)
{
    size_t i;

    for (i = 0; f->oneof >= 0 && i < type->count; i++)
        if (type->fields[i].oneof == f->oneof && &type->fields[i] != f)
            object->items[i] = (struct value){.kind = VALUE_NULL};
}

/* Make room for the fields, unless an earlier part of the same message did so. */
static bool begin_object(struct value_arena *a, const struct proto_message *type, struct value *v)
{
    if (v->kind == VALUE_OBJECT)
        return true;
    v->kind = VALUE_OBJECT;
    v->items = value_alloc(a, (type->count ? type->count : 1) * sizeof(*v->items));
    v->count = v->items ? type->count : 0;
    return v->items != NULL;
}

/* The bytes of a message, or the fields of a group up to its end. */
static enum ach_status decode_fields(struct proto_decoder *d, const struct proto_message *type,
                                     struct proto_wire *w, uint32_t group, struct value *object);

static enum ach_status decode_inner(struct proto_decoder *d, const struct proto_field *f,
                                    const struct proto_item *item, struct proto_wire *w,
                                    struct value *v)
{
    struct proto_wire bytes = item->bytes;
    enum ach_status status;

    if (d->depth == VALUE_DEPTH_MAX - 2) /* a map adds a level */
        return ach_errstr_set(ACH_CORRUPT, "the message is nested more than %u deep", d->depth);
    d->depth++;
    if (item->type == PROTO_GROUP)
        status = decode_fields(d, f->message, w, item->number, v);
    else
        status = decode_fields(d, f->message, &bytes, 0, v);
    d->depth--;
    return status;
}

static enum ach_status decode_one(struct proto_decoder *d, const struct proto_field *f,
                                  const struct proto_item *item, struct proto_wire *w,
                                  struct value *v)
{
    if (f->message)
        return decode_inner(d, f, item, w, v);
    if (item->type != PROTO_BYTES) {
        *v = number_value(f, item->value);
        return ACH_OK;
    }
    v->kind = f->type == PROTO_TYPE_STRING ? VALUE_TEXT : VALUE_BYTES;
    v->text = (const char *)item->bytes.at;
    v->count = (size_t)(item->bytes.end - item->bytes.at);
    return ACH_OK;
}

/* Does the wire type fit the field? One that does not is an unknown field. */
static bool item_fits(const struct proto_field *f, const struct proto_item *item)
{
    uint8_t wanted = wire_type_of(f->type);

    return item->type == wanted || (f->message && item->type == PROTO_GROUP) ||
           (f->repeated && item->type == PROTO_BYTES);
}

static enum ach_status decode_field(struct proto_decoder *d, const struct proto_message *type,
                                    const struct proto_field *f, const struct proto_item *item,
                                    struct proto_wire *w, struct value *object)
{
    struct value *v = &object->items[f - type->fields];

    if (!f->repeated) {
        clear_oneof(type, f, object);
        return decode_one(d, f, item, w, v);
    }
    if (v->kind == VALUE_NULL)
        begin_list(f, v);
    if (item->type == PROTO_BYTES && wire_type_of(f->type) != PROTO_BYTES)
        return unpack(d, type, f, item->bytes, v);
    if (item->type != PROTO_BYTES && item->type != PROTO_GROUP)
        return append_number(d->arena, f, v, item->value) ? ACH_OK : ACH_FAILED_SYSCALL;
    v = value_add(d->arena, v, NULL, 0);
    return v ? decode_one(d, f, item, w, v) : ACH_FAILED_SYSCALL;
}

/* Fields usually come in the order of the type: begin behind the one that was found last. */
static const struct proto_field *find_field(const struct proto_message *type, uint32_t number,
                                            size_t *hint)
{
    size_t i;

    for (i = 0; i < type->count; i++) {
        size_t at = (*hint + i) % type->count;

        if (type->fields[at].number == number) {
            *hint = at;
            return &type->fields[at];
        }
    }
    return NULL;
}

static enum ach_status decode_fields(struct proto_decoder *d, const struct proto_message *type,
                                     struct proto_wire *w, uint32_t group, struct value *object)
{
    enum ach_status status = ACH_OK;
    struct proto_item item;
    size_t hint = 0;

    if (!begin_object(d->arena, type, object))
        return ACH_FAILED_SYSCALL;
    while (status == ACH_OK && !proto_ended(w)) {
        const struct proto_field *f;

        if (!proto_read_item(w, &item))
            return damaged(type);
        if (item.type == PROTO_END_GROUP)
            return group == item.number ? ACH_OK : damaged(type);
        f = find_field(type, item.number, &hint);
        if (f && item_fits(f, &item))
            status = decode_field(d, type, f, &item, w, object);
        else if (item.type == PROTO_GROUP && !proto_skip_group(w, item.number))
            return damaged(type);
    }
    return status == ACH_OK && group ? damaged(type) : status;
}

static enum ach_status finish_object(struct value_arena *a, const struct proto_message *type,
                                     struct value *object);

/* A field that is not on the wire. */
static enum ach_status default_value(struct value_arena *a, const struct proto_field *f,
                                     struct value *v)
{
    if (f->repeated && proto_is_map(f)) {
        v->kind = VALUE_OBJECT;
    } else if (f->repeated) {
        begin_list(f, v);
    } else if (f->message) {
        if (!begin_object(a, f->message, v))
            return ACH_FAILED_SYSCALL;
    } else if (wire_type_of(f->type) == PROTO_BYTES) {
        v->kind = f->type == PROTO_TYPE_STRING ? VALUE_TEXT : VALUE_BYTES;
        v->text = "";
    } else if (f->type == PROTO_TYPE_ENUM && f->enumeration->count) {
        *v = enum_value(f->enumeration, (uint64_t)f->enumeration->constants[0].number);
    } else {
        *v = number_value(f, 0);
    }
    return ACH_OK;
}

/* The key of a map as a name. */
static enum ach_status key_name(struct value_arena *a, const struct value *key,
                                struct value_text *name)
{
    char text[VALUE_SCALAR_TEXT];
    const char *written;

    if (key->kind == VALUE_TEXT || key->kind == VALUE_ENUM) {
        *name = (struct value_text){key->text, key->count};
        return ACH_OK;
    }
    written = value_scalar_text(key, true, text);
    *name = (struct value_text){value_copy(a, written, strlen(written)), strlen(written)};
    return name->at ? ACH_OK : ACH_FAILED_SYSCALL;
}

static enum ach_status finish_entry(struct value_arena *a, const struct proto_message *type,
                                    struct value *entry)
{
    struct value *slots = entry->items;
    enum ach_status status = ACH_OK;
    struct value_text name;
    size_t i;

    for (i = 0; status == ACH_OK && i < 2; i++) {
        if (slots[i].kind == VALUE_NULL)
            status = default_value(a, &type->fields[i], &slots[i]);
        if (status == ACH_OK && type->fields[i].message)
            status = finish_object(a, type->fields[i].message, &slots[i]);
    }
    if (status == ACH_OK)
        status = key_name(a, &slots[0], &name);
    if (status == ACH_OK) {
        *entry = slots[1];
        entry->name = name;
    }
    return status;
}

static enum ach_status finish_items(struct value_arena *a, const struct proto_field *f,
                                    struct value *list)
{
    enum ach_status status = ACH_OK;
    size_t i;

    for (i = 0; status == ACH_OK && i < list->count; i++)
        status = proto_is_map(f) ? finish_entry(a, f->message, &list->items[i])
                                 : finish_object(a, f->message, &list->items[i]);
    if (proto_is_map(f))
        list->kind = VALUE_OBJECT;
    return status;
}

static enum ach_status finish_object(struct value_arena *a, const struct proto_message *type,
                                     struct value *object)
{
    enum ach_status status = ACH_OK;
    size_t i, kept = 0;

    for (i = 0; status == ACH_OK && i < type->count; i++) {
        const struct proto_field *f = &type->fields[i];
        struct value *v = &object->items[i];

        if (v->kind == VALUE_NULL && f->presence)
            continue;
        if (v->kind == VALUE_NULL)
            status = default_value(a, f, v);
        else if (f->repeated && f->message)
            status = finish_items(a, f, v);
        else if (f->message)
            status = finish_object(a, f->message, v);
        v->name = f->name;
        object->items[kept++] = *v;
    }
    object->count = kept;
    return status;
}

enum ach_status proto_decode(const struct proto_message *type, const void *bytes, size_t size,
                             struct value_tree *t)
{
    struct proto_wire w = {bytes, (const uint8_t *)bytes + size};
    struct proto_decoder d = {.arena = &t->arena};
    enum ach_status status = decode_fields(&d, type, &w, 0, &t->root);

    return status == ACH_OK ? finish_object(&t->arena, type, &t->root) : status;
}

/* The types around the one that an example is made of. */
struct example_level {
    const struct proto_message *type;
    const struct example_level *outer;
    size_t *values; /* made so far */
};

static bool is_within(const struct example_level *level, const struct proto_message *type)
{
    for (; level; level = level->outer)
        if (level->type == type)
            return true;
    return false;
}

static enum ach_status example_object(struct value_arena *a, const struct example_level *level,
                                      struct value *v);

static enum ach_status example_field(struct value_arena *a, const struct example_level *outer,
                                     const struct proto_field *f, struct value *v)
{
    struct example_level level = {f->message, outer, outer->values};
    struct value *to = v;

    if (!f->message)
        return default_value(a, f, v);
    if (proto_is_map(f) || is_within(outer, f->message) || *outer->values > EXAMPLE_VALUES_MAX)
        return ACH_OK; /* null: anything */
    if (f->repeated) {
        v->kind = VALUE_LIST;
        to = value_add(a, v, NULL, 0);
    }
    return to ? example_object(a, &level, to) : ACH_FAILED_SYSCALL;
}

static enum ach_status example_object(struct value_arena *a, const struct example_level *level,
                                      struct value *v)
{
    enum ach_status status = ACH_OK;
    size_t i;

    v->kind = VALUE_OBJECT;
    for (i = 0; status == ACH_OK && i < level->type->count; i++) {
        const struct proto_field *f = &level->type->fields[i];
        struct value *member = value_add(a, v, NULL, 0);

        ++*level->values;
        status = member ? example_field(a, level, f, member) : ACH_FAILED_SYSCALL;
        if (member)
            member->name = f->name;
    }
    return status;
}

enum ach_status proto_example(const struct proto_message *type, struct value_tree *t)
{
    size_t values = 0;
    struct example_level level = {type, NULL, &values};

    return example_object(&t->arena, &level, &t->root);
}
