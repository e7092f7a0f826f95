/* SPDX-License-Identifier: BSD-3-Clause */
/* bodies.c - addresses of devices and bodies of their messages */
#include "conformance.h"

#include <ach/device.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_BYTES 512

char *address_of(const char *word)
{
    const char *where = getenv("ACH_CONFORMANCE_WHERE"), *at = strstr(word, "$where");
    char *address = NULL;

    if (!at)
        return strdup(word);
    if (!where)
        script_bad("ACH_CONFORMANCE_WHERE is not set", word);
    if (asprintf(&address, "%.*s%s%s", (int)(at - word), word, where, at + strlen("$where")) < 0)
        script_bad("no memory", word);
    return address;
}

/* The value of the scalar at that address. */
static void scalar_print(FILE *to, enum ach_kind kind, const void *at)
{
    double value = 0;
    uint64_t bits;

    switch (kind) {
    case ACH_KIND_INT8:
        fprintf(to, "%d", *(const int8_t *)at);
        return;
    case ACH_KIND_UINT8:
    case ACH_KIND_BOOL:
        fprintf(to, "%u", *(const uint8_t *)at);
        return;
    case ACH_KIND_INT16:
        fprintf(to, "%d", *(const int16_t *)at);
        return;
    case ACH_KIND_UINT16:
        fprintf(to, "%u", *(const uint16_t *)at);
        return;
    case ACH_KIND_INT32:
        fprintf(to, "%d", *(const int32_t *)at);
        return;
    case ACH_KIND_UINT32:
        fprintf(to, "%u", *(const uint32_t *)at);
        return;
    case ACH_KIND_INT64:
        fprintf(to, "%lld", (long long)*(const int64_t *)at);
        return;
    case ACH_KIND_UINT64:
        fprintf(to, "%llu", (unsigned long long)*(const uint64_t *)at);
        return;
    case ACH_KIND_FLOAT:
        value = (double)*(const float *)at;
        break;
    case ACH_KIND_DOUBLE:
        value = *(const double *)at;
        break;
    case ACH_KIND_CHAR:
    case ACH_KIND_STRUCT:
        script_bad("not a scalar", "");
    }
    memcpy(&bits, &value, sizeof(bits));
    fprintf(to, "%016llx", (unsigned long long)bits);
}

static size_t scalar_size(enum ach_kind kind)
{
    static const uint8_t sizes[] = {
        [ACH_KIND_INT8] = 1,  [ACH_KIND_UINT8] = 1,  [ACH_KIND_INT16] = 2, [ACH_KIND_UINT16] = 2,
        [ACH_KIND_INT32] = 4, [ACH_KIND_UINT32] = 4, [ACH_KIND_INT64] = 8, [ACH_KIND_UINT64] = 8,
        [ACH_KIND_FLOAT] = 4, [ACH_KIND_DOUBLE] = 8, [ACH_KIND_BOOL] = 1,
    };

    return sizes[kind];
}

static void body_print(FILE *to, const char *path, const ach_type_t *type, const uint8_t *body);

/* A value: of a field that is no array, or an element of one. */
static void value_print(FILE *to, const char *path, const ach_field_t *f, const uint8_t *at)
{
    if (f->kind == ACH_KIND_STRUCT) {
        body_print(to, path, f->type, at);
        return;
    }
    fprintf(to, " %s=", path);
    scalar_print(to, f->kind, at);
}

static void array_print(FILE *to, const char *path, const ach_field_t *f, const uint8_t *at,
                        size_t count)
{
    size_t size = f->kind == ACH_KIND_STRUCT ? f->type->body_size : 0;
    char element[PATH_MAX_BYTES];

    if (f->kind == ACH_KIND_CHAR) {
        fprintf(to, " %s=", path);
        bytes_print(to, at, at ? strnlen((const char *)at, count) : 0);
        return;
    }
    if (size == 0)
        size = scalar_size(f->kind);
    for (size_t i = 0; i < count; i++) {
        snprintf(element, sizeof(element), "%s[%zu]", path, i);
        value_print(to, element, f, at + i * size);
    }
}

static void body_print(FILE *to, const char *path, const ach_type_t *type, const uint8_t *body)
{
    char member[PATH_MAX_BYTES];

    for (const ach_field_t *f = type->fields; f < type->fields + type->field_count; f++) {
        const uint8_t *at = body + f->offset;

        snprintf(member, sizeof(member), "%s%s%s", path, *path ? "." : "", f->name);
        if (f->array == ACH_ARRAY_FIXED)
            array_print(to, member, f, at, f->limit);
        else if (f->array == ACH_ARRAY_VARIABLE)
            array_print(to, member, f, *(const uint8_t *const *)at,
                        *(const uint32_t *)(body + f->count_offset));
        else if (f->array == ACH_ARRAY_NONE)
            value_print(to, member, f, at);
    }
}

void device_message_print(FILE *to, const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(h->address.interf), h->type, h->subtype);
    const void *body = ach_message_body(message);

    if (def && def->body && body)
        body_print(to, "", def->body, body);
}

const ach_message_def_t *message_def_of(unsigned interf, unsigned type, const char *name)
{
    const ach_message_def_t *def =
        ach_interface_message_named(ach_interface_by_code(interf), type, name);

    if (!def)
        script_bad("no such message", name);
    return def;
}

enum ach_status body_of(const struct words *w, const ach_message_def_t *def, void **body)
{
    *body = NULL;
    if (!def->body)
        return ACH_OK;
    return ach_body_from_words(def->body, (const char *const *)w->word + 3, w->count - 3, body);
}
