/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c - a configuration as a file again */
#include "tree.h"

static void print_value(const struct dev_value *value, FILE *out)
{
    fprintf(out, value->kind == DEV_STRING ? " \"%s\"" : " %s", value->text);
}

static void print_field(const struct dev_field *field, int indent, FILE *out)
{
    size_t i;

    fprintf(out, "%*s%s", indent, "", field->name);
    if (field->tuple)
        fprintf(out, " [");
    for (i = 0; i < field->count; i++)
        print_value(&field->values[i], out);
    fprintf(out, field->tuple ? " ]\n" : "\n");
}

static void print_inside(const struct ach_section *section, int indent, FILE *out)
{
    const struct dev_field *f;
    const struct ach_section *s;

    for (f = section->fields; f; f = f->next)
        print_field(f, indent, out);
    for (s = section->first; s; s = s->next) {
        fprintf(out, "%*s%s\n%*s(\n", indent, "", s->name, indent, "");
        print_inside(s, indent + 2, out);
        fprintf(out, "%*s)\n", indent, "");
    }
}

void dev_section_print_alone(const struct ach_section *section, FILE *out)
{
    const struct dev_field *f;

    for (f = section->config->root->fields; f; f = f->next)
        print_field(f, 0, out);
    fprintf(out, "%s\n(\n", section->name);
    print_inside(section, 2, out);
    fprintf(out, ")\n");
}

void ach_config_print(const ach_config_t *config, FILE *out)
{
    print_inside(config->root, 0, out);
}
