/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * warn.c - warnings about fields and sections that were not read
 *
 * A misspelt field would otherwise go unnoticed: the driver uses its default. A
 * name that a driver tried to read, that is not in the section and differs little,
 * is probably the intended one.
 */
#include <string.h>

#include "../../../util/nearest.h"
#include "read.h"
#include "report.h"

#define LINES_MAX 100

static const char *meant(const struct ach_section *section, const char *name)
{
    struct nearest n = nearest_to(name);
    const struct dev_asked *a;

    for (a = section->asked; a; a = a->next)
        nearest_offer(&n, a->name);
    return n.best;
}

struct warner {
    struct dev_text *report;
    unsigned number;
    size_t lines, left_out;
};

/* Begin a line; false: another section of the same template was reported, or too many lines. */
static bool warn_begin(struct warner *w, unsigned *told, struct dev_place at)
{
    if (*told == w->number)
        return false;
    *told = w->number;
    if (w->lines >= LINES_MAX) {
        w->left_out++;
        return false;
    }
    w->lines++;
    dev_text_place(w->report, at);
    return true;
}

static void warn_field(struct warner *w, const struct ach_section *section,
                       const struct dev_field *field)
{
    char shown[DEV_SHOWN];
    const char *better;

    if (!warn_begin(w, &field->origin->told, field->at))
        return;
    better = meant(section, field->name);
    dev_text_add(w->report, "unused field '%s' of ",
                 dev_show_bytes(shown, field->name, strlen(field->name)));
    dev_section_label(section, w->report);
    if (better)
        dev_text_add(w->report, "; was '%s' meant?", better);
    dev_text_add(w->report, "\n");
}

static void warn_section(struct warner *w, const struct ach_section *section)
{
    const struct dev_field *f;
    const struct ach_section *s;

    if (!section->visited) {
        if (warn_begin(w, &section->origin->told, section->at))
            dev_text_add(w->report, "unused section '%s'\n", section->name);
        return;
    }
    for (f = section->fields; f; f = f->next) {
        if (!f->used)
            warn_field(w, section, f);
    }
    for (s = section->first; s; s = s->next)
        warn_section(w, s);
}

const char *ach_config_warnings(ach_config_t *config)
{
    struct warner w = {.report = &config->report, .number = ++config->reports};

    dev_text_finish(w.report);
    if (config->warnings.data)
        dev_text_add(w.report, "%s", config->warnings.data);
    warn_section(&w, config->root);
    if (w.left_out)
        dev_text_add(w.report, "%s: and %zu more\n", config->root->at.file, w.left_out);
    return w.report->data ? w.report->data : "";
}

const char *ach_section_unused(const ach_section_t *section, size_t index, const char **file,
                               int *line)
{
    const struct dev_field *f;

    for (f = section->fields; f; f = f->next) {
        if (f->used || index-- > 0)
            continue;
        if (file)
            *file = f->at.file;
        if (line)
            *line = f->at.line;
        return f->name;
    }
    return NULL;
}
