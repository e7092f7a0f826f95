/* SPDX-License-Identifier: BSD-3-Clause */
/* config_field.c - a field as it is read */
#include <string.h>

#include "config_parse.h"
#include "config_report.h"

static struct achi_field *new_field(struct achi_parser *p, struct ach_section *section,
                                    const char *name, struct achi_place at)
{
    struct achi_field *field;

    if (section->field_count >= ACH_CONFIG_FIELDS_MAX) {
        achi_parse_limit(p, at, "more than %d fields in a section", ACH_CONFIG_FIELDS_MAX);
        return NULL;
    }
    if (!achi_parse_spend(p, at))
        return NULL;
    field = achi_section_field(section, name);
    if (!field)
        achi_parse_no_memory(p);
    return field;
}

/* Twice in one section is odd, unless one is of a template. */
static void warn_twice(struct achi_parser *p, const struct achi_field *field, struct achi_place at)
{
    struct achi_text *warnings = &p->config->warnings;

    if (field->inherited)
        return;
    achi_text_place(warnings, at);
    achi_text_add(warnings, "'%s' is already in line %d of %s; this one counts\n", field->name,
                  field->at.line, field->at.file);
}

static bool keep_values(struct achi_parser *p, struct achi_field *field)
{
    size_t size = p->value_count * sizeof(*p->values);

    field->values = achi_config_alloc(p->config, size);
    if (!field->values) {
        achi_parse_no_memory(p);
        return false;
    }
    if (size > 0)
        memcpy(field->values, p->values, size);
    field->count = p->value_count;
    return true;
}

/* Every plugin of the file counts, not only the last. */
static bool is_plugin_list(const struct ach_section *section, const char *name)
{
    return section == section->config->root && strcmp(name, "plugin") == 0;
}

static void add_plugins(struct achi_parser *p, struct achi_field *field, struct achi_place at)
{
    size_t all = field->count + p->value_count;
    struct achi_value *values;

    if (all > ACH_CONFIG_FIELDS_MAX) {
        achi_parse_limit(p, at, "more than %d plugins", ACH_CONFIG_FIELDS_MAX);
        return;
    }
    values = achi_config_alloc(p->config, all * sizeof(*values));
    if (!values) {
        achi_parse_no_memory(p);
        return;
    }
    memcpy(values, field->values, field->count * sizeof(*values));
    if (p->value_count > 0)
        memcpy(values + field->count, p->values, p->value_count * sizeof(*values));
    field->values = values;
    field->count = all;
    field->tuple = true;
}

void achi_parse_field(struct achi_parser *p, struct ach_section *section, const char *name,
                      struct achi_place at)
{
    struct achi_field *field = achi_section_find(section, name);
    bool tuple;

    if (!achi_parse_value(p, &tuple))
        return;
    if (field && is_plugin_list(section, name)) {
        add_plugins(p, field, at);
        return;
    }
    if (field)
        warn_twice(p, field, at);
    else
        field = new_field(p, section, name, at);
    if (!field || !keep_values(p, field))
        return;
    field->at = at;
    field->tuple = tuple;
    field->inherited = false;
    field->origin = field;
}
