/* SPDX-License-Identifier: BSD-3-Clause */
/* field.c - a field as it is read */
#include <string.h>

#include "parse.h"
#include "report.h"

static struct dev_field *new_field(struct dev_parser *p, struct ach_section *section,
                                   const char *name, struct dev_place at)
{
    struct dev_field *field;

    if (section->field_count >= ACH_CONFIG_FIELDS_MAX) {
        dev_parse_limit(p, at, "more than %d fields in a section", ACH_CONFIG_FIELDS_MAX);
        return NULL;
    }
    if (!dev_parse_spend(p, at))
        return NULL;
    field = dev_section_field(section, name);
    if (!field)
        dev_parse_no_memory(p);
    return field;
}

/* Warn of a field given twice in one section, unless the first is from a template. */
static void warn_twice(struct dev_parser *p, const struct dev_field *field, struct dev_place at)
{
    struct dev_text *warnings = &p->config->warnings;

    if (field->inherited)
        return;
    dev_text_place(warnings, at);
    dev_text_add(warnings, "'%s' is already in line %d of %s; this one is used\n", field->name,
                 field->at.line, field->at.file);
}

static bool keep_values(struct dev_parser *p, struct dev_field *field)
{
    size_t size = p->value_count * sizeof(*p->values);

    field->values = dev_config_alloc(p->config, size);
    if (!field->values) {
        dev_parse_no_memory(p);
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

static void add_plugins(struct dev_parser *p, struct dev_field *field, struct dev_place at)
{
    size_t all = field->count + p->value_count;
    struct dev_value *values;

    if (all > ACH_CONFIG_FIELDS_MAX) {
        dev_parse_limit(p, at, "more than %d plugins", ACH_CONFIG_FIELDS_MAX);
        return;
    }
    values = dev_config_alloc(p->config, all * sizeof(*values));
    if (!values) {
        dev_parse_no_memory(p);
        return;
    }
    memcpy(values, field->values, field->count * sizeof(*values));
    if (p->value_count > 0)
        memcpy(values + field->count, p->values, p->value_count * sizeof(*values));
    field->values = values;
    field->count = all;
    field->tuple = true;
}

void dev_parse_field(struct dev_parser *p, struct ach_section *section, const char *name,
                     struct dev_place at)
{
    struct dev_field *field = dev_section_find(section, name);
    bool tuple;

    if (!dev_parse_value(p, &tuple))
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
