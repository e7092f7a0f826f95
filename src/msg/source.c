/* SPDX-License-Identifier: BSD-3-Clause */
/* source.c - the definition of a struct that has a table */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <ach/definition.h>

#include "../device/xdr/scalar.h"
#include "word.h"

/* Structs that one definition uses, at most. */
#define USED_MAX 128u

#define PACKAGE "ach"

struct source_used {
    const ach_type_t *types[USED_MAX];
    unsigned count;
};

/* "laser.data" becomes LaserData. */
static void source_camel(FILE *to, const char *name)
{
    bool begins = true;

    for (; *name; name++) {
        if (isalnum((unsigned char)*name))
            fputc(begins ? toupper((unsigned char)*name) : *name, to);
        begins = !isalnum((unsigned char)*name);
    }
}

/* A variable array of char; its limit includes the NUL. */
static void source_string(FILE *to, const ach_field_t *f)
{
    fputs("string", to);
    if (f->limit < ACH_BODY_MAX)
        fprintf(to, "<=%u", f->limit - 1);
}

/* Of several structs with the same name, the second is called Name2, and so on. */
static void source_name(FILE *to, const struct source_used *used, const ach_type_t *type)
{
    unsigned same = 1;

    for (unsigned i = 0; used->types[i] != type; i++)
        same += strcmp(used->types[i]->name, type->name) == 0;
    source_camel(to, type->name);
    if (same > 1)
        fprintf(to, "%u", same);
}

static void source_field(FILE *to, const struct source_used *used, const ach_field_t *f)
{
    bool string = f->kind == ACH_KIND_CHAR && f->array == ACH_ARRAY_VARIABLE;

    if (string)
        source_string(to, f);
    else if (f->kind != ACH_KIND_STRUCT)
        fputs(msg_scalar_name(f->kind), to);
    else if (xdr_value_field(f->type))
        source_string(to, xdr_value_field(f->type));
    else
        source_name(to, used, f->type);
    if (f->array == ACH_ARRAY_FIXED)
        fprintf(to, "[%u]", f->limit);
    else if (f->array == ACH_ARRAY_VARIABLE && !string)
        fprintf(to, f->limit < ACH_BODY_MAX ? "[<=%u]" : "[]", f->limit);
    fprintf(to, " %s", f->name);
    if (*f->text)
        fprintf(to, " # %s", f->text);
    fputc('\n', to);
}

/* Note a struct that another one uses. */
static enum ach_status source_use(struct source_used *used, const ach_type_t *type)
{
    for (unsigned i = 0; i < used->count; i++)
        if (used->types[i] == type)
            return ACH_OK;
    if (used->count == USED_MAX)
        return ach_errstr_set(ACH_EINVAL, "%s uses more than %u structs", used->types[0]->name,
                              USED_MAX - 1);
    used->types[used->count++] = type;
    return ACH_OK;
}

static enum ach_status source_struct(FILE *to, const ach_type_t *type, struct source_used *used)
{
    enum ach_status status = ACH_OK;

    if (type->field_count == 0)
        return ach_errstr_set(ACH_EINVAL, "%s has no fields", type->name);
    for (uint32_t i = 0; status == ACH_OK && i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (f->array == ACH_ARRAY_COUNT)
            continue;
        if (f->kind == ACH_KIND_STRUCT && !xdr_value_field(f->type))
            status = source_use(used, f->type);
        if (status == ACH_OK)
            source_field(to, used, f);
    }
    return status;
}

static enum ach_status source_all(FILE *to, const ach_type_t *type)
{
    struct source_used used = {.types = {type}, .count = 1};
    enum ach_status status = ACH_OK;

    for (unsigned i = 0; status == ACH_OK && i < used.count; i++) {
        if (i > 0) {
            fputs("================\nMSG: " PACKAGE "/", to);
            source_name(to, &used, used.types[i]);
            fputc('\n', to);
        }
        status = source_struct(to, used.types[i], &used);
    }
    return status;
}

enum ach_status ach_definition_write(const ach_type_t *type, char **name, char **text)
{
    size_t name_size, text_size;
    enum ach_status status;
    FILE *to;

    *name = *text = NULL;
    to = open_memstream(name, &name_size);
    if (!to)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    fputs(PACKAGE "/msg/", to);
    source_camel(to, type->name);
    fclose(to);
    to = open_memstream(text, &text_size);
    status = to ? source_all(to, type)
                : ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    if (to && fclose(to) != 0 && status == ACH_OK)
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    if (status != ACH_OK) {
        free(*name);
        free(*text);
        *name = *text = NULL;
    }
    return status;
}
