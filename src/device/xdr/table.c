/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table.c - checks of the tables of an interface before they are used
 *
 * Tables come from the generator, perhaps from another version of it, compiled
 * into a plug-in. What the codec relies on is checked once: kinds, limits,
 * offsets, and that structs do not nest without end.
 */
#include "register.h"

#include "scalar.h"

#include <ach/interface/common.h>
#include <string.h>

static enum ach_status table_bad(const ach_interface_t *interface, const char *what)
{
    return ach_errstr_set(ACH_EINVAL, "interface %s: %s", interface->name, what);
}

static bool scalars_fit(const ach_type_t *type, const ach_step_t *step)
{
    uint64_t size = xdr_scalar_size(step->kind);

    return size && step->offset + size * step->per * step->limit <= type->body_size;
}

static bool array_fits(const ach_type_t *type, const ach_step_t *step)
{
    if (step->kind == ACH_KIND_STRUCT ? !step->type : !xdr_scalar_size(step->kind))
        return false;
    if (step->per == 0 || (step->per > 1 && xdr_kind_is_byte(step->kind)))
        return false;
    if (step->array == ACH_ARRAY_VARIABLE)
        return step->offset + sizeof(void *) <= type->body_size &&
               step->count_offset + sizeof(uint32_t) <= type->body_size;
    if (step->kind == ACH_KIND_STRUCT)
        return step->offset + (uint64_t)step->type->body_size * step->limit <= type->body_size;
    return scalars_fit(type, step);
}

static bool step_sound(const ach_type_t *type, const ach_step_t *step)
{
    if (step->limit == 0 || step->limit > ACH_BODY_MAX)
        return false;
    if (step->kind == ACH_KIND_STRUCT && step->type && step->type->depth >= type->depth)
        return false;
    if (step->array == ACH_ARRAY_NONE)
        return scalars_fit(type, step) && step->per == 1;
    return step->array <= ACH_ARRAY_VARIABLE && array_fits(type, step);
}

/* A level limit, because a struct that contains itself would recurse for ever. */
static bool fields_sound(const ach_type_t *type, unsigned level)
{
    uint32_t i;

    if (level > ACH_TYPE_LEVEL_MAX || !type->name || !type->fields)
        return false;
    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (!f->name || f->offset >= type->body_size || f->limit == 0 ||
            (f->kind == ACH_KIND_STRUCT) != (f->type != NULL) ||
            (!f->type && !xdr_scalar_size(f->kind)))
            return false;
        if (f->type && !fields_sound(f->type, level + 1))
            return false;
    }
    return type->field_count > 0;
}

static bool type_sound(const ach_type_t *type)
{
    uint32_t i;

    if (!type->steps || type->depth > ACH_TYPE_DEPTH_MAX || type->wire_size < 4 ||
        type->wire_size > ACH_BODY_MAX || type->body_size == 0 || type->body_align == 0 ||
        type->body_align > XDR_BODY_ALIGN)
        return false;
    for (i = 0; i < type->step_count; i++)
        if (!step_sound(type, &type->steps[i]))
            return false;
    return true;
}

/* The recursion ends: step_sound checks that an inner struct has a smaller depth. */
static bool type_tree_sound(const ach_type_t *type)
{
    uint32_t i;

    if (!type_sound(type))
        return false;
    for (i = 0; i < type->step_count; i++)
        if (type->steps[i].type && !type_tree_sound(type->steps[i].type))
            return false;
    return true;
}

enum ach_status xdr_interface_check(const ach_interface_t *interface)
{
    uint32_t i;

    if (!interface || interface->size < sizeof(*interface) || !interface->name)
        return ach_errstr_set(ACH_EINVAL, "not a table of an interface");
    if (interface->version != ACH_TABLE_VERSION)
        return ach_errstr_set(ACH_EINVAL,
                              "interface %s: built for version %u of the tables, not %u",
                              interface->name, interface->version, ACH_TABLE_VERSION);
    if (interface->code == 0)
        return table_bad(interface, "it has no number");
    for (i = 0; i < interface->type_count; i++)
        if (!fields_sound(interface->types[i], 1) || !type_tree_sound(interface->types[i]))
            return table_bad(interface, "the table of a struct is invalid");
    for (i = 0; i < interface->message_count; i++) {
        const ach_message_def_t *m = &interface->messages[i];
        const ach_type_t *body = m->body;

        if (m->type == ACH_MSG_REQ && m->subtype >= ACH_REQ_FLUSH)
            return table_bad(interface, "the number of a request belongs to one of all interfaces");
        if (body && (!fields_sound(body, 1) || !type_tree_sound(body)))
            return table_bad(interface, "the table of a message is invalid");
    }
    return ACH_OK;
}

const char *xdr_field_name(const ach_type_t *type, uint32_t offset, char *text, size_t room)
{
    const ach_field_t *f = type->fields;
    uint32_t i;
    size_t used;

    for (i = 1; i < type->field_count; i++)
        if (type->fields[i].offset <= offset)
            f = &type->fields[i];
    snprintf(text, room, "%s", f->name);
    used = strlen(text);
    if (f->array == ACH_ARRAY_NONE && f->type && used + 2 < room) {
        text[used] = '.';
        xdr_field_name(f->type, offset - f->offset, text + used + 1, room - used - 1);
    }
    return text;
}
