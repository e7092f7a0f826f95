/* SPDX-License-Identifier: BSD-3-Clause */
#include "proto_encode.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base64.h"
#include "../json_parse.h"
#include "../words.h"
#include "json_infinity.h"

#define NUMBER_TEXT 64u /* the longest number */

static void write_varint(uint64_t v, FILE *to)
{
    for (; v >= 0x80; v >>= 7)
        putc((int)(v & 0x7f) | 0x80, to);
    putc((int)v, to);
}

static void write_fixed(uint64_t v, size_t size, FILE *to)
{
    for (; size--; v >>= 8)
        putc((int)(v & 0xff), to);
}

static void write_tag(const struct proto_field *f, unsigned wire_type, FILE *to)
{
    write_varint((uint64_t)f->number << 3 | wire_type, to);
}

static enum ach_status unfit(const struct proto_field *f, const char *wanted,
                             const struct value *found)
{
    bool text =
        found->kind == VALUE_TEXT || found->kind == VALUE_WORD || found->kind == VALUE_NUMBER;

    return ach_errstr_set(ACH_EINVAL, "%.*s: expected %s%s%.*s%s", (int)f->name.size, f->name.at,
                          wanted, text ? ", found '" : "",
                          text ? (int)(found->count < 40 ? found->count : 40) : 0,
                          text ? found->text : "", text ? "'" : "");
}

/* The digits of a number, with a NUL behind them. False: it has none. */
static bool number_text(const struct value *v, char text[NUMBER_TEXT])
{
    if (v->kind != VALUE_NUMBER && v->kind != VALUE_WORD && v->kind != VALUE_TEXT)
        return false;
    if (v->count == 0 || v->count >= NUMBER_TEXT)
        return false;
    memcpy(text, v->text, v->count);
    text[v->count] = '\0';
    return true;
}

static bool whole_signed(const struct value *v, int64_t min, int64_t max, int64_t *out)
{
    char text[NUMBER_TEXT], *end;

    errno = 0;
    if (!number_text(v, text))
        return false;
    *out = strtoll(text, &end, strstr(text, "0x") ? 16 : 10);
    return *end == '\0' && errno == 0 && *out >= min && *out <= max;
}

static bool whole_unsigned(const struct value *v, uint64_t max, uint64_t *out)
{
    char text[NUMBER_TEXT], *end;

    errno = 0;
    if (!number_text(v, text) || *text == '-')
        return false;
    *out = strtoull(text, &end, strstr(text, "0x") ? 16 : 10);
    return *end == '\0' && errno == 0 && *out <= max;
}

static enum ach_status real_bits(const struct proto_field *f, const struct value *v, uint64_t *raw)
{
    char text[NUMBER_TEXT], *end;
    bool is_double = f->type == PROTO_TYPE_DOUBLE;
    double d;
    float s;
    uint32_t low;

    if (!number_text(v, text))
        return unfit(f, "a number", v);
    d = strtod(text, &end);
    if (*end)
        return unfit(f, "a number", v);
    s = strtof(text, NULL);
    if (isinf(is_double ? d : (double)s) && !json_is_infinity(text, end))
        return unfit(f, is_double ? "a number that fits double" : "a number that fits float", v);
    if (is_double) {
        memcpy(raw, &d, sizeof(d));
    } else {
        memcpy(&low, &s, sizeof(s));
        *raw = low;
    }
    return ACH_OK;
}

static enum ach_status truth_bits(const struct proto_field *f, const struct value *v, uint64_t *raw)
{
    bool word = v->kind == VALUE_WORD;

    *raw = (v->kind == VALUE_BOOL && v->truth) ||
           (word && v->count == 4 && memcmp(v->text, "true", 4) == 0);
    if (*raw || v->kind == VALUE_BOOL || (word && v->count == 5 && !memcmp(v->text, "false", 5)))
        return ACH_OK;
    return whole_unsigned(v, 1, raw) ? ACH_OK : unfit(f, "true or false", v);
}

static enum ach_status enum_bits(const struct proto_field *f, const struct value *v, uint64_t *raw)
{
    const struct proto_enum *e = f->enumeration;
    int64_t number;
    size_t i;

    if (whole_signed(v, INT32_MIN, INT32_MAX, &number)) {
        *raw = (uint64_t)number;
        return ACH_OK;
    }
    for (i = 0; (v->kind == VALUE_WORD || v->kind == VALUE_TEXT) && i < e->count; i++) {
        if (e->constants[i].name.size == v->count &&
            memcmp(e->constants[i].name.at, v->text, v->count) == 0) {
            *raw = (uint64_t)(int64_t)e->constants[i].number;
            return ACH_OK;
        }
    }
    return unfit(f, e->count ? "a constant of its enumeration" : "a number", v);
}

static enum ach_status signed_bits(const struct proto_field *f, const struct value *v,
                                   uint64_t *raw)
{
    bool small = f->type == PROTO_TYPE_INT32 || f->type == PROTO_TYPE_SINT32 ||
                 f->type == PROTO_TYPE_SFIXED32;
    int64_t i;

    if (!whole_signed(v, small ? INT32_MIN : INT64_MIN, small ? INT32_MAX : INT64_MAX, &i))
        return unfit(f, small ? "a whole number of 32 bits" : "a whole number of 64 bits", v);
    *raw = (uint64_t)i;
    if (f->type == PROTO_TYPE_SINT32 || f->type == PROTO_TYPE_SINT64)
        *raw = i < 0 ? ~((uint64_t)i << 1) : (uint64_t)i << 1;
    return ACH_OK;
}

static enum ach_status unsigned_bits(const struct proto_field *f, const struct value *v,
                                     uint64_t *raw)
{
    bool small = f->type == PROTO_TYPE_UINT32 || f->type == PROTO_TYPE_FIXED32;

    if (whole_unsigned(v, small ? UINT32_MAX : UINT64_MAX, raw))
        return ACH_OK;
    return unfit(
        f, small ? "a whole number of 32 bits from 0 on" : "a whole number of 64 bits from 0 on",
        v);
}

static enum ach_status number_bits(const struct proto_field *f, const struct value *v,
                                   uint64_t *raw)
{
    switch (f->type) {
    case PROTO_TYPE_DOUBLE:
    case PROTO_TYPE_FLOAT:
        return real_bits(f, v, raw);
    case PROTO_TYPE_BOOL:
        return truth_bits(f, v, raw);
    case PROTO_TYPE_ENUM:
        return enum_bits(f, v, raw);
    case PROTO_TYPE_UINT32:
    case PROTO_TYPE_FIXED32:
    case PROTO_TYPE_UINT64:
    case PROTO_TYPE_FIXED64:
        return unsigned_bits(f, v, raw);
    default:
        return signed_bits(f, v, raw);
    }
}

/* Write a number without its tag, unless f->packed is false. */
static enum ach_status encode_number(const struct proto_field *f, const struct value *v, FILE *to)
{
    uint64_t raw = 0;
    enum ach_status status = number_bits(f, v, &raw);
    bool eight = f->type == PROTO_TYPE_DOUBLE || f->type == PROTO_TYPE_FIXED64 ||
                 f->type == PROTO_TYPE_SFIXED64;
    bool four = f->type == PROTO_TYPE_FLOAT || f->type == PROTO_TYPE_FIXED32 ||
                f->type == PROTO_TYPE_SFIXED32;

    if (status != ACH_OK)
        return status;
    if (!f->packed)
        write_tag(f, eight ? PROTO_FIXED64 : four ? PROTO_FIXED32 : PROTO_VARINT, to);
    if (eight || four)
        write_fixed(raw, eight ? 8 : 4, to);
    else
        write_varint(raw, to);
    return ACH_OK;
}

static enum ach_status encode_bytes(struct value_arena *a, const struct proto_field *f,
                                    const struct value *v, FILE *to)
{
    const char *text = v->text;
    size_t size = v->count;
    uint8_t *bytes;

    if (v->kind != VALUE_TEXT && v->kind != VALUE_WORD)
        return unfit(f, f->type == PROTO_TYPE_STRING ? "a string" : "base64", v);
    if (f->type == PROTO_TYPE_BYTES) {
        bytes = value_alloc(a, size + 1);
        if (!bytes)
            return ACH_FAILED_SYSCALL;
        if (!value_base64_read(v->text, v->count, bytes, &size))
            return unfit(f, "base64", v);
        text = (const char *)bytes;
    }
    write_tag(f, PROTO_BYTES, to);
    write_varint(size, to);
    fwrite(text, 1, size, to);
    return ACH_OK;
}

/* What a function writes, with its tag and length in front. */
typedef enum ach_status write_t(struct value_arena *a, const struct proto_field *f,
                                const struct value *v, FILE *to);

static enum ach_status write_counted(struct value_arena *a, const struct proto_field *f,
                                     const struct value *v, write_t *write, FILE *to)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *inner = open_memstream(&bytes, &size);
    enum ach_status status = inner ? write(a, f, v, inner) : ACH_FAILED_SYSCALL;

    if (inner && fclose(inner) != 0)
        status = ACH_FAILED_SYSCALL;
    if (status == ACH_OK) {
        write_tag(f, PROTO_BYTES, to);
        write_varint(size, to);
        fwrite(bytes, 1, size, to);
    }
    free(bytes);
    return status;
}

static enum ach_status write_message(struct value_arena *a, const struct proto_field *f,
                                     const struct value *v, FILE *to)
{
    return proto_encode(a, f->message, v, to);
}

static enum ach_status encode_one(struct value_arena *a, const struct proto_field *f,
                                  const struct value *v, FILE *to);

/* A member of an object as a message with a key and a value. */
static enum ach_status write_entry(struct value_arena *a, const struct proto_field *f,
                                   const struct value *member, FILE *to)
{
    struct value key = {.kind = VALUE_WORD, .text = member->name.at, .count = member->name.size};
    enum ach_status status = encode_one(a, &f->message->fields[0], &key, to);

    return status == ACH_OK ? encode_one(a, &f->message->fields[1], member, to) : status;
}

/* A group is written between its tags, a message with its length. */
static enum ach_status encode_message(struct value_arena *a, const struct proto_field *f,
                                      const struct value *v, FILE *to)
{
    struct value parsed = {.kind = VALUE_NULL};
    enum ach_status status = ACH_OK;

    if (v->kind == VALUE_WORD && value_begins(v, '{')) {
        status = value_parse_json(a, v->text, v->count, &parsed);
        v = &parsed;
    }
    if (status != ACH_OK)
        return status;
    if (v->kind == VALUE_NULL) /* in a list: a message without fields */
        parsed.kind = VALUE_OBJECT, v = &parsed;
    if (v->kind != VALUE_OBJECT)
        return unfit(f, "an object {...}, or one of its fields", v);
    if (f->type != PROTO_TYPE_GROUP)
        return write_counted(a, f, v, write_message, to);
    write_tag(f, PROTO_GROUP, to);
    status = proto_encode(a, f->message, v, to);
    write_tag(f, PROTO_END_GROUP, to);
    return status;
}

static enum ach_status encode_one(struct value_arena *a, const struct proto_field *f,
                                  const struct value *v, FILE *to)
{
    static const struct value zero = {.kind = VALUE_WORD, .text = "0", .count = 1},
                              empty = {.kind = VALUE_WORD, .text = ""};

    if (f->message)
        return encode_message(a, f, v, to);
    if (f->type == PROTO_TYPE_STRING || f->type == PROTO_TYPE_BYTES)
        return encode_bytes(a, f, v->kind == VALUE_NULL ? &empty : v, to);
    return encode_number(f, v->kind == VALUE_NULL ? &zero : v, to);
}

static enum ach_status encode_items(struct value_arena *a, const struct proto_field *f,
                                    const struct value *list, FILE *to)
{
    enum ach_status status = ACH_OK;
    size_t i;

    for (i = 0; status == ACH_OK && i < list->count; i++)
        status = encode_one(a, f, &list->items[i], to);
    return status;
}

static enum ach_status encode_list(struct value_arena *a, const struct proto_field *f,
                                   const struct value *v, FILE *to)
{
    struct value list = {.kind = VALUE_NULL};
    enum ach_status status = ACH_OK;

    if (v->kind == VALUE_WORD && value_begins(v, '['))
        status = value_parse_json(a, v->text, v->count, &list);
    else if (v->kind == VALUE_WORD)
        status = value_split_word(a, v, &list);
    else
        list = *v;
    if (status != ACH_OK)
        return status;
    if (list.kind != VALUE_LIST)
        return unfit(f, "a list", v);
    if (f->packed && list.count)
        return write_counted(a, f, &list, encode_items, to);
    return encode_items(a, f, &list, to);
}

static enum ach_status encode_map(struct value_arena *a, const struct proto_field *f,
                                  const struct value *v, FILE *to)
{
    struct value parsed = {.kind = VALUE_NULL};
    enum ach_status status = ACH_OK;
    size_t i;

    if (v->kind == VALUE_WORD && value_begins(v, '{')) {
        status = value_parse_json(a, v->text, v->count, &parsed);
        v = &parsed;
    }
    if (status == ACH_OK && v->kind != VALUE_OBJECT)
        return unfit(f, "an object {...}, or one of its keys", v);
    for (i = 0; status == ACH_OK && i < v->count; i++)
        status = write_counted(a, f, &v->items[i], write_entry, to);
    return status;
}

static enum ach_status encode_field(struct value_arena *a, const struct proto_field *f,
                                    const struct value *v, FILE *to)
{
    if (v->kind == VALUE_NULL)
        return ACH_OK;
    if (proto_is_map(f))
        return encode_map(a, f, v, to);
    return f->repeated ? encode_list(a, f, v, to) : encode_one(a, f, v, to);
}

static bool has_field(const struct proto_message *type, struct value_text name)
{
    size_t i;

    for (i = 0; i < type->count; i++)
        if (type->fields[i].name.size == name.size &&
            memcmp(type->fields[i].name.at, name.at, name.size) == 0)
            return true;
    return false;
}

enum ach_status proto_encode(struct value_arena *a, const struct proto_message *type,
                             const struct value *object, FILE *to)
{
    enum ach_status status = ACH_OK;
    size_t i;

    for (i = 0; i < object->count; i++) {
        struct value_text name = object->items[i].name;

        if (!has_field(type, name))
            return ach_errstr_set(ACH_EINVAL, "%.*s has no field '%.*s'", (int)type->name.size,
                                  type->name.at, (int)(name.size < 80 ? name.size : 80), name.at);
    }
    for (i = 0; status == ACH_OK && i < type->count; i++) {
        const struct proto_field *f = &type->fields[i];
        const struct value *v = value_member(object, f->name.at, f->name.size);

        if (v)
            status = encode_field(a, f, v, to);
    }
    return status;
}
