/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doctor.h"
#include "json.h"
#include "show.h"

static const char *level_name(enum level level)
{
    static const char *const names[] = {
        [LEVEL_OK] = "ok",           [LEVEL_NOTE] = "note",       [LEVEL_REPAIRED] = "repaired",
        [LEVEL_WARNING] = "warning", [LEVEL_PROBLEM] = "problem",
    };

    return names[level];
}

struct finding *found(struct report *r, enum level level, const char *check, const char *format,
                      ...)
{
    struct finding *all = realloc(r->findings, (r->n + 1) * sizeof(*all)), *f;
    va_list ap;

    if (!all) {
        complain("out of memory");
        exit(EXIT_FAILED);
    }
    r->findings = all;
    f = &all[r->n++];
    *f = (struct finding){.level = level, .check = check};
    va_start(ap, format);
    vsnprintf(f->text, sizeof(f->text), format, ap);
    va_end(ap);
    return f;
}

void advise(struct finding *f, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(f->advice, sizeof(f->advice), format, ap);
    va_end(ap);
}

bool report_well(const struct report *r)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        if (r->findings[i].level >= LEVEL_WARNING)
            return false;
    }
    return true;
}

/* File names are untrusted: they may hold terminal control sequences. */
static void print_finding(const struct finding *f)
{
    printf("%-8s  %s: ", level_name(f->level), f->check);
    print_text(f->text, strlen(f->text));
    if (!f->advice[0])
        return;
    fputs("          -> ", stdout);
    print_text(f->advice, strlen(f->advice));
}

void report_print(const struct report *r)
{
    size_t i;

    for (i = 0; i < r->n; i++)
        print_finding(&r->findings[i]);
    puts(report_well(r) ? "All is well." : "Something needs your attention.");
}

void report_print_json(const struct report *r)
{
    struct json j = JSON_INIT(stdout);
    size_t i;

    json_object(&j, NULL);
    json_bool(&j, "ok", report_well(r));
    json_string(&j, "directory", r->dir);
    json_array(&j, "findings");
    for (i = 0; i < r->n; i++) {
        const struct finding *f = &r->findings[i];

        json_object(&j, NULL);
        json_string(&j, "level", level_name(f->level));
        json_string(&j, "check", f->check);
        json_string(&j, "text", f->text);
        if (f->advice[0])
            json_string(&j, "advice", f->advice);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
    json_line(&j);
}
