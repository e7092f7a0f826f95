/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c - values by type, converted to metres and radians */
#include "read.h"

#include <limits.h>
#include <math.h>

#include "file.h"

/* A field, and which of its values is read. A plain field has exactly one. */
struct wanted {
    struct ach_section *section;
    const char *name;
    size_t index;
    bool tuple;
};

static struct wanted plain(struct ach_section *section, const char *name)
{
    return (struct wanted){.section = section, .name = name};
}

static struct wanted element(struct ach_section *section, const char *name, size_t index)
{
    return (struct wanted){.section = section, .name = name, .index = index, .tuple = true};
}

/* A value of this kind. NULL: it is not there, or it is wrong and an error was recorded. */
static struct dev_value *find(struct wanted w, enum dev_value_kind kind, const char *expected)
{
    struct dev_field *field = dev_section_use(w.section, w.name);
    struct dev_value *value;

    if (!field || (w.tuple && w.index >= field->count))
        return NULL;
    value = w.tuple || field->count == 1 ? &field->values[w.index] : NULL;
    if (value && value->kind == kind)
        return value;
    dev_section_wrong(w.section, field, value, expected);
    return NULL;
}

static void refuse(struct wanted w, struct dev_value *value, const char *expected)
{
    dev_section_wrong(w.section, dev_section_use(w.section, w.name), value, expected);
}

static const char *read_string(struct wanted w, const char *fallback)
{
    struct dev_value *value = find(w, DEV_STRING, "a string");

    return value ? value->text : fallback;
}

static const char *read_path(struct wanted w, const char *fallback)
{
    struct dev_value *value = find(w, DEV_STRING, "the name of a file, as a string");

    if (!value)
        return fallback;
    if (value->text[0] == '\0') {
        refuse(w, value, "the name of a file");
        return fallback;
    }
    if (!value->path)
        value->path = dev_config_path(w.section->config, value->at.file, value->text);
    if (!value->path) {
        refuse(w, value, "more memory");
        return fallback;
    }
    return value->path;
}

static int read_int(struct wanted w, int fallback)
{
    struct dev_value *value = find(w, DEV_NUMBER, "a whole number");

    if (!value)
        return fallback;
    if (value->number < INT_MIN || value->number > INT_MAX) {
        refuse(w, value, "a whole number of 32 bits");
        return fallback;
    }
    if (floor(value->number) != value->number) {
        refuse(w, value, "a whole number");
        return fallback;
    }
    return (int)value->number;
}

static double read_double(struct wanted w, double unit, double fallback)
{
    struct dev_value *value = find(w, DEV_NUMBER, "a number");

    return value ? value->number * unit : fallback;
}

/* Old files use 0 and 1. */
static bool read_bool(struct wanted w, bool fallback)
{
    static const char expected[] = "true, false, yes, no, 1 or 0";
    struct dev_field *field = dev_section_use(w.section, w.name);
    bool number = field && w.index < field->count && field->values[w.index].kind == DEV_NUMBER;
    struct dev_value *value = find(w, number ? DEV_NUMBER : DEV_BOOL, expected);

    if (!value)
        return fallback;
    if (value->number != 0 && value->number != 1) {
        refuse(w, value, expected);
        return fallback;
    }
    return value->number == 1;
}

const char *ach_section_string(ach_section_t *section, const char *name, const char *fallback)
{
    return read_string(plain(section, name), fallback);
}

const char *ach_section_path(ach_section_t *section, const char *name, const char *fallback)
{
    return read_path(plain(section, name), fallback);
}

int ach_section_int(ach_section_t *section, const char *name, int fallback)
{
    return read_int(plain(section, name), fallback);
}

double ach_section_double(ach_section_t *section, const char *name, double fallback)
{
    return read_double(plain(section, name), 1, fallback);
}

bool ach_section_bool(ach_section_t *section, const char *name, bool fallback)
{
    return read_bool(plain(section, name), fallback);
}

double ach_section_length(ach_section_t *section, const char *name, double fallback)
{
    return read_double(plain(section, name), section->config->metres, fallback);
}

double ach_section_angle(ach_section_t *section, const char *name, double fallback)
{
    return read_double(plain(section, name), section->config->radians, fallback);
}

const char *ach_section_tuple_string(ach_section_t *section, const char *name, size_t index,
                                     const char *fallback)
{
    return read_string(element(section, name, index), fallback);
}

const char *ach_section_tuple_path(ach_section_t *section, const char *name, size_t index,
                                   const char *fallback)
{
    return read_path(element(section, name, index), fallback);
}

int ach_section_tuple_int(ach_section_t *section, const char *name, size_t index, int fallback)
{
    return read_int(element(section, name, index), fallback);
}

double ach_section_tuple_double(ach_section_t *section, const char *name, size_t index,
                                double fallback)
{
    return read_double(element(section, name, index), 1, fallback);
}

bool ach_section_tuple_bool(ach_section_t *section, const char *name, size_t index, bool fallback)
{
    return read_bool(element(section, name, index), fallback);
}

double ach_section_tuple_length(ach_section_t *section, const char *name, size_t index,
                                double fallback)
{
    return read_double(element(section, name, index), section->config->metres, fallback);
}

double ach_section_tuple_angle(ach_section_t *section, const char *name, size_t index,
                               double fallback)
{
    return read_double(element(section, name, index), section->config->radians, fallback);
}
