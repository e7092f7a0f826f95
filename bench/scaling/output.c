/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - the curves, for a person and for a program */
#include <stdlib.h>
#include <string.h>

#include "../json_text.h"
#include "../whole_file.h"
#include "scaling.h"

/* Every x is one of the longest series. */
static const struct series *longest(const struct curve *c)
{
    const struct series *best = &c->series[0];
    unsigned i;

    for (i = 1; i < c->count; i++)
        if (c->series[i].count > best->count)
            best = &c->series[i];
    return best;
}

static int width(const struct series *s)
{
    int n = (int)strlen(s->name);

    return n < 10 ? 10 : n;
}

static void print_curve(struct curve *c)
{
    const struct series *all = longest(c);
    unsigned i, j;

    printf("\n%s: %s (%s)\n  %13s", c->name, c->title, c->y_label, c->x_label);
    for (i = 0; i < c->count; i++)
        printf("  %*s", width(&c->series[i]), c->series[i].name);
    for (j = 0; j < all->count; j++) {
        printf("\n  %13.0f", all->point[j].x);
        for (i = 0; i < c->count; i++) {
            double y = curve_value(c, c->series[i].name, all->point[j].x);

            if (y > 0)
                printf("  %*.*f", width(&c->series[i]), y < 1000 ? 1 : 0, y);
            else
                printf("  %*s", width(&c->series[i]), "-");
        }
    }
    putchar('\n');
}

void output_curves(const struct scaling *s)
{
    unsigned i;

    for (i = 0; i < s->curves; i++)
        print_curve(s->curve[i]);
}

void output_polled(const struct scaling *s)
{
    const struct polled *p = &s->polled;
    unsigned i;

    if (p->line_ns == 0)
        return;
    printf("\npolled: put of 64 B while processes poll the channel\n"
           "  %13s  %12s  %10s\n",
           "readers", "instructions", "ns");
    for (i = 0; i < POLLED_COUNTS; i++)
        printf("  %13u  %12.1f  %10.1f\n", p->readers[i], p->instructions[i], p->put_ns[i]);
    printf("  one cache line from core to core takes %.1f ns\n", p->line_ns);
    if (p->instructions[0] > 0)
        printf("  the same instructions with any number of readers: %s\n",
               p->equal ? "reached" : "missed");
    printf("  one reader adds two cache lines at most: %s (less them: %+.1f ns)\n",
           p->reached ? "reached" : "missed", p->extra_ns);
}

void output_notes(const struct scaling *s)
{
    unsigned i;

    putchar('\n');
    for (i = 0; i < s->notes; i++)
        printf("%s\n", s->note[i]);
}

static void json_series(FILE *f, struct series *s)
{
    unsigned i;

    fputs("      {", f);
    json_member(f, "name", s->name);
    fputs("\"points\": [", f);
    for (i = 0; i < s->count; i++)
        fprintf(f, "%s[%.0f, %.2f]", i ? ", " : "", s->point[i].x, point_value(&s->point[i]));
    fputs("]}", f);
}

static void json_curve(FILE *f, struct curve *c)
{
    unsigned i;

    fputs("    {", f);
    json_member(f, "name", c->name);
    json_member(f, "title", c->title);
    json_member(f, "x_label", c->x_label);
    fprintf(f, "\"x_log\": %s, ", c->x_log ? "true" : "false");
    json_member(f, "y_label", c->y_label);
    fprintf(f, "\"y_log\": %s, \"series\": [\n", c->y_log ? "true" : "false");
    for (i = 0; i < c->count; i++) {
        json_series(f, &c->series[i]);
        fputs(i + 1 < c->count ? ",\n" : "\n", f);
    }
    fputs("    ]}", f);
}

/* By the number of readers; what was not measured is null. */
static void json_by_readers(FILE *f, const char *key, const unsigned *readers, const double *value)
{
    unsigned i;

    fprintf(f, "\"%s\": {", key);
    for (i = 0; i < POLLED_COUNTS; i++) {
        fprintf(f, "%s\"%u\": ", i ? ", " : "", readers[i]);
        if (value[i] > 0)
            fprintf(f, "%.2f", value[i]);
        else
            fputs("null", f);
    }
    fputs("}, ", f);
}

static void json_polled(FILE *f, const struct polled *p)
{
    if (p->line_ns == 0) {
        fputs("  \"polled\": null,\n", f);
        return;
    }
    fputs("  \"polled\": {", f);
    json_by_readers(f, "instructions", p->readers, p->instructions);
    json_by_readers(f, "put_ns", p->readers, p->put_ns);
    fprintf(f, "\"line_transfer_ns\": %.2f, \"reached\": %s},\n", p->line_ns,
            p->reached ? "true" : "false");
}

static void json_write(FILE *f, const struct scaling *s)
{
    unsigned i;

    fputs("{\n  \"machine\": ", f);
    json_string(f, s->machine.cpu);
    fputs(",\n  \"kernel\": ", f);
    json_string(f, s->machine.kernel);
    fputs(",\n  \"curves\": [\n", f);
    for (i = 0; i < s->curves; i++) {
        json_curve(f, s->curve[i]);
        fputs(i + 1 < s->curves ? ",\n" : "\n", f);
    }
    fputs("  ],\n", f);
    json_polled(f, &s->polled);
    fputs("  \"notes\": [\n", f);
    for (i = 0; i < s->notes; i++) {
        fputs("    ", f);
        json_string(f, s->note[i]);
        fputs(i + 1 < s->notes ? ",\n" : "\n", f);
    }
    fputs("  ]\n}\n", f);
}

bool output_json(const struct scaling *s, const char *path)
{
    struct whole_file w;

    if (!whole_file_open(&w, path))
        return false;
    json_write(w.f, s);
    return whole_file_close(&w);
}
