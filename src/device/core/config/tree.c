/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define CHUNK 16384u

struct dev_chunk {
    struct dev_chunk *next;
    size_t used, size;
    alignas(max_align_t) unsigned char room[];
};

static struct dev_chunk *add_chunk(struct ach_config *config, size_t least)
{
    size_t size = least > CHUNK ? least : CHUNK;
    struct dev_chunk *chunk = malloc(sizeof(*chunk) + size);

    if (!chunk)
        return NULL;
    *chunk = (struct dev_chunk){.next = config->chunks, .size = size};
    config->chunks = chunk;
    return chunk;
}

void *dev_config_alloc(struct ach_config *config, size_t size)
{
    size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct dev_chunk *chunk = config->chunks;
    void *p;

    if (!chunk || chunk->size - chunk->used < rounded)
        chunk = add_chunk(config, rounded);
    if (!chunk)
        return NULL;
    p = chunk->room + chunk->used;
    chunk->used += rounded;
    return memset(p, 0, size);
}

const char *dev_config_copy(struct ach_config *config, const char *text, size_t length)
{
    char *copy = dev_config_alloc(config, length + 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

bool dev_config_spend(struct ach_config *config, size_t items)
{
    if (items > ACH_CONFIG_ITEMS_MAX - config->items)
        return false;
    config->items += items;
    return true;
}

struct ach_config *dev_config_new(const char *file)
{
    struct ach_config *config = calloc(1, sizeof(*config));
    struct dev_place at = {.line = 0};

    if (!config)
        return NULL;
    at.file = dev_config_copy(config, file, strlen(file));
    config->root = at.file ? dev_section_new(config, "", at) : NULL;
    if (!config->root) {
        ach_config_destroy(config);
        return NULL;
    }
    config->root->visited = true;
    return config;
}

void ach_config_destroy(ach_config_t *config)
{
    struct dev_chunk *chunk, *next;

    if (!config)
        return;
    for (chunk = config->chunks; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    dev_text_finish(&config->errors);
    dev_text_finish(&config->warnings);
    dev_text_finish(&config->report);
    free(config);
}

struct ach_section *dev_section_new(struct ach_config *config, const char *name,
                                    struct dev_place at)
{
    struct ach_section *section = dev_config_alloc(config, sizeof(*section));

    if (!section)
        return NULL;
    section->config = config;
    section->name = name;
    section->at = at;
    section->origin = section;
    return section;
}

void dev_section_add(struct ach_section *parent, struct ach_section *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

struct dev_field *dev_section_find(const struct ach_section *section, const char *name)
{
    struct dev_field *field = section->fields;

    while (field && strcmp(field->name, name) != 0)
        field = field->next;
    return field;
}

struct dev_field *dev_section_field(struct ach_section *section, const char *name)
{
    struct dev_field *field = dev_config_alloc(section->config, sizeof(*field));

    if (!field)
        return NULL;
    field->name = name;
    field->origin = field;
    if (section->last_field)
        section->last_field->next = field;
    else
        section->fields = field;
    section->last_field = field;
    section->field_count++;
    return field;
}

static bool inherit_fields(struct ach_section *section, struct ach_section *from)
{
    struct dev_field *f;

    for (f = from->fields; f; f = f->next) {
        struct dev_field *copy = dev_section_field(section, f->name);

        if (!copy)
            return false;
        copy->at = f->at;
        copy->values = f->values;
        copy->count = f->count;
        copy->tuple = f->tuple;
        copy->inherited = true;
        copy->origin = f->origin;
    }
    return true;
}

static enum ach_status inherit_section(struct ach_section *section, struct ach_section *from,
                                       int deeper)
{
    struct ach_section *copy;
    enum ach_status r;

    if (deeper == 0 || !dev_config_spend(section->config, 1))
        return ACH_OVERFLOW;
    copy = dev_section_new(section->config, from->name, from->at);
    if (!copy)
        return ACH_FAILED_SYSCALL;
    r = dev_section_inherit(copy, from, deeper - 1);
    copy->origin = from->origin;
    dev_section_add(section, copy);
    return r;
}

enum ach_status dev_section_inherit(struct ach_section *section, struct ach_section *from,
                                    int deeper)
{
    struct ach_section *s;
    enum ach_status r = ACH_OK;

    if (!dev_config_spend(section->config, from->field_count))
        return ACH_OVERFLOW;
    if (!inherit_fields(section, from))
        return ACH_FAILED_SYSCALL;
    for (s = from->first; s && r == ACH_OK; s = s->next)
        r = inherit_section(section, s, deeper);
    return r;
}

struct dev_template *dev_template_find(const struct ach_config *config, const char *name)
{
    struct dev_template *t = config->templates;

    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    return t;
}
