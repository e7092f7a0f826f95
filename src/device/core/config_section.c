/* SPDX-License-Identifier: BSD-3-Clause */
/* config_section.c - to find sections and fields, and to say what is wrong with them */
#include <string.h>

#include "config_read.h"
#include "config_report.h"

/* More than this is no help. */
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
    struct achi_asked *a;

    for (a = section->asked; a; a = a->next) {
        if (strcmp(a->name, name) == 0)
            return;
    }
    a = achi_config_alloc(section->config, sizeof(*a));
    if (!a)
        return;
    a->name = achi_config_copy(section->config, name, strlen(name));
    if (!a->name)
        return;
    a->next = section->asked;
    section->asked = a;
}

static struct achi_field *ask(struct ach_section *section, const char *name)
{
    struct achi_field *field = achi_section_find(section, name);

    if (!field)
        remember_asked(section, name);
    return field;
}

bool ach_section_has(ach_section_t *section, const char *name)
{
    return ask(section, name) != NULL;
}

struct achi_field *achi_section_use(struct ach_section *section, const char *name)
{
    struct achi_field *field = ask(section, name);

    if (field)
        field->used = true;
    return field;
}

size_t ach_section_tuple_count(ach_section_t *section, const char *name)
{
    struct achi_field *field = achi_section_use(section, name);

    return field ? field->count : 0;
}

/* Begin an error, unless there were too many. */
static bool complain(struct ach_section *section, struct achi_place at)
{
    struct ach_config *config = section->config;

    section->failed = true;
    if (config->complaints == COMPLAINTS_MAX)
        achi_text_add(&config->errors, "%s: more than %d errors\n", config->root->at.file,
                      COMPLAINTS_MAX);
    if (config->complaints++ >= COMPLAINTS_MAX)
        return false;
    achi_text_place(&config->errors, at);
    return true;
}

void achi_section_wrong(struct ach_section *section, struct achi_field *field,
                        struct achi_value *value, const char *expected)
{
    struct achi_text *errors = &section->config->errors;
    bool *complained = value ? &value->complained : &field->complained;

    section->failed = true;
    if (*complained || !complain(section, value ? value->at : field->at))
        return;
    *complained = true;
    achi_text_add(errors, "%s: found ", field->name);
    if (value)
        achi_text_value(errors, value);
    else if (field->count == 0)
        achi_text_add(errors, "no value");
    else
        achi_text_add(errors, "%zu values", field->count);
    achi_text_add(errors, ", expected %s\n", expected);
}

void achi_section_label(const struct ach_section *section, struct achi_text *text)
{
    const struct achi_field *name = achi_section_find(section, "name");
    char shown[ACHI_SHOWN];

    achi_text_add(text, "%s", section == section->config->root ? "the file" : section->name);
    if (name && name->count == 1 && name->values->kind == ACHI_STRING)
        achi_text_add(text, " \"%s\"",
                      achi_show(shown, name->values->text, strlen(name->values->text)));
}

void ach_section_refuse(ach_section_t *section, const char *name, size_t index,
                        const char *expected)
{
    struct achi_field *field = name ? achi_section_use(section, name) : NULL;
    struct achi_text *errors = &section->config->errors;

    if (field) {
        achi_section_wrong(section, field, index < field->count ? &field->values[index] : NULL,
                           expected);
        return;
    }
    if (!complain(section, section->at))
        return;
    achi_section_label(section, errors);
    if (name)
        achi_text_add(errors, ": found no '%s', expected %s\n", name, expected);
    else
        achi_text_add(errors, ": expected %s\n", expected);
}

bool ach_section_failed(const ach_section_t *section)
{
    return section->failed;
}
