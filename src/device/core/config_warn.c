/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config_warn.c - what nobody asked for
 *
 * A misspelt field would otherwise go unnoticed: the driver takes its default. A
 * name that was asked for, was not there, and differs little, is probably what
 * was meant.
 */
#include <string.h>

#include "../../util/nearest.h"
#include "config_read.h"
#include "config_report.h"

#define LINES_MAX 100

static const char *meant(const struct ach_section *section, const char *name)
{
    struct nearest n = nearest_to(name);
    const struct achi_asked *a;

    for (a = section->asked; a; a = a->next)
        nearest_offer(&n, a->name);
    return n.best;
}

struct warner {
    struct achi_text *report;
    unsigned number;
    size_t lines, left_out;
};

/* Begin a line; false if it was said already, of another section of the same template. */
static bool begin(struct warner *w, unsigned *told, struct achi_place at)
{
    if (*told == w->number)
        return false;
    *told = w->number;
    if (w->lines >= LINES_MAX) {
        w->left_out++;
        return false;
    }
    w->lines++;
    achi_text_place(w->report, at);
    return true;
}

static void warn_field(struct warner *w, const struct ach_section *section,
                       const struct achi_field *field)
{
    char shown[ACHI_SHOWN];
    const char *better;

    if (!begin(w, &field->origin->told, field->at))
        return;
    better = meant(section, field->name);
    achi_text_add(w->report, "nobody asked for '%s' of ",
                  achi_show(shown, field->name, strlen(field->name)));
    achi_section_label(section, w->report);
    if (better)
        achi_text_add(w->report, "; was '%s' meant?", better);
    achi_text_add(w->report, "\n");
}

static void warn_section(struct warner *w, const struct ach_section *section)
{
    const struct achi_field *f;
    const struct ach_section *s;

    if (!section->visited) {
        if (begin(w, &section->origin->told, section->at))
            achi_text_add(w->report, "nobody asked for the section '%s'\n", section->name);
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

    achi_text_finish(w.report);
    if (config->warnings.data)
        achi_text_add(w.report, "%s", config->warnings.data);
    warn_section(&w, config->root);
    if (w.left_out)
        achi_text_add(w.report, "%s: and %zu more\n", config->root->at.file, w.left_out);
    return w.report->data ? w.report->data : "";
}

const char *ach_section_unused(const ach_section_t *section, size_t index, const char **file,
                               int *line)
{
    const struct achi_field *f;

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
