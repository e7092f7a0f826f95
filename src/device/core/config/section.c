/* SPDX-License-Identifier: BSD-3-Clause */
/* section.c - find sections and fields, and report errors in them */
#include <string.h>

#include "read.h"
#include "report.h"

/* Most errors that are reported after the file was read. */
#define COMPLAINTS_MAX 100

ach_section_t *ach_section_next(ach_section_t *section, const char *name, ach_section_t *previous)
{
    ach_section_t *s = previous ? previous->next : section->first;

    while (s && name && strcmp(s->name, name) != 0)
        s = s->next;
    if (s)
        s->visited = true;
    return s;
}

const char *ach_section_name(const ach_section_t *section)
{
    return section->name;
}

const char *ach_section_file(const ach_section_t *section)
{
    return section->at.file;
}

int ach_section_line(const ach_section_t *section)
{
    return section->at.line ? section->at.line : 1;
}

static void remember_asked(struct ach_section *section, const char *name)
{
    struct dev_asked *a;

    for (a = section->asked; a; a = a->next) {
        if (strcmp(a->name, name) == 0)
            return;
    }
    a = dev_config_alloc(section->config, sizeof(*a));
    if (!a)
        return;
    a->name = dev_config_copy(section->config, name, strlen(name));
    if (!a->name)
        return;
    a->next = section->asked;
    section->asked = a;
}

static struct dev_field *ask(struct ach_section *section, const char *name)
{
    struct dev_field *field = dev_section_find(section, name);

    if (!field)
        remember_asked(section, name);
    return field;
}

bool ach_section_has(ach_section_t *section, const char *name)
{
    return ask(section, name) != NULL;
}

struct dev_field *dev_section_use(struct ach_section *section, const char *name)
{
    struct dev_field *field = ask(section, name);

    if (field)
        field->used = true;
    return field;
}

size_t ach_section_tuple_count(ach_section_t *section, const char *name)
{
    struct dev_field *field = dev_section_use(section, name);

    return field ? field->count : 0;
}

/* Begin an error, unless there were too many. */
static bool complain(struct ach_section *section, struct dev_place at)
{
    struct ach_config *config = section->config;

    section->failed = true;
    if (config->complaints == COMPLAINTS_MAX)
        dev_text_add(&config->errors, "%s: more than %d errors\n", config->root->at.file,
                     COMPLAINTS_MAX);
    if (config->complaints++ >= COMPLAINTS_MAX)
        return false;
    dev_text_place(&config->errors, at);
    return true;
}

void dev_section_wrong(struct ach_section *section, struct dev_field *field,
                       struct dev_value *value, const char *expected)
{
    struct dev_text *errors = &section->config->errors;
    bool *complained = value ? &value->complained : &field->complained;

    section->failed = true;
    if (*complained || !complain(section, value ? value->at : field->at))
        return;
    *complained = true;
    dev_text_add(errors, "%s: found ", field->name);
    if (value)
        dev_text_value(errors, value);
    else if (field->count == 0)
        dev_text_add(errors, "no value");
    else
        dev_text_add(errors, "%zu values", field->count);
    dev_text_add(errors, ", expected %s\n", expected);
}

void dev_section_label(const struct ach_section *section, struct dev_text *text)
{
    const struct dev_field *name = dev_section_find(section, "name");
    char shown[DEV_SHOWN];

    dev_text_add(text, "%s", section == section->config->root ? "the file" : section->name);
    if (name && name->count == 1 && name->values->kind == DEV_STRING)
        dev_text_add(text, " \"%s\"",
                     dev_show_bytes(shown, name->values->text, strlen(name->values->text)));
}

void ach_section_refuse(ach_section_t *section, const char *name, size_t index,
                        const char *expected)
{
    struct dev_field *field = name ? dev_section_use(section, name) : NULL;
    struct dev_text *errors = &section->config->errors;

    if (field) {
        dev_section_wrong(section, field, index < field->count ? &field->values[index] : NULL,
                          expected);
        return;
    }
    if (!complain(section, section->at))
        return;
    dev_section_label(section, errors);
    if (name)
        dev_text_add(errors, ": found no '%s', expected %s\n", name, expected);
    else
        dev_text_add(errors, ": expected %s\n", expected);
}

bool ach_section_failed(const ach_section_t *section)
{
    return section->failed;
}
