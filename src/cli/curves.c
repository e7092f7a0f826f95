/* SPDX-License-Identifier: BSD-3-Clause */
#include "curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#define LABEL_WIDTH 10 /* of numbers at the y axis */
#define LEAST_ROWS 3u
#define LEAST_COLUMNS 8u

bool curves_init(struct curves *c, char **names, size_t n)
{
    size_t i;

    c->n = n;
    c->curves = calloc(n, sizeof(*c->curves));
    for (i = 0; c->curves && i < n; i++) {
        c->curves[i].name = names[i];
        c->curves[i].samples = malloc(CURVE_SAMPLES * sizeof(*c->curves[i].samples));
        if (!c->curves[i].samples)
            return false;
    }
    return c->curves != NULL;
}

void curves_finish(struct curves *c)
{
    size_t i;

    for (i = 0; c->curves && i < c->n; i++)
        free(c->curves[i].samples);
    free(c->curves);
}

void curves_add(struct curves *c, size_t curve, double x, double y)
{
    struct curve *v = &c->curves[curve];

    if (v->count == CURVE_SAMPLES)
        v->first++;
    else
        v->count++;
    v->samples[(v->first + v->count - 1) % CURVE_SAMPLES] =
        (struct curve_sample){x, isfinite(y) ? y + 0.0 : (double)NAN}; /* -0 becomes 0 */
}

static const struct curve_sample *sample_at(const struct curve *v, size_t i)
{
    return &v->samples[(v->first + i) % CURVE_SAMPLES];
}

bool curves_span(const struct curves *c, double *from, double *to)
{
    size_t i;
    bool any = false;

    for (i = 0; i < c->n; i++) {
        const struct curve *v = &c->curves[i];

        if (!v->count)
            continue;
        *from = any ? fmin(*from, sample_at(v, 0)->x) : sample_at(v, 0)->x;
        *to = any ? fmax(*to, sample_at(v, v->count - 1)->x) : sample_at(v, v->count - 1)->x;
        any = true;
    }
    return any;
}

/* Extremes of the samples that are drawn. */
struct curve_range {
    double min, max, now;
    bool any;
};

static struct curve_range range_of(const struct curve *v, double from)
{
    struct curve_range r = {.now = (double)NAN};
    size_t i;

    for (i = 0; i < v->count; i++) {
        const struct curve_sample *s = sample_at(v, i);

        if (s->x < from || isnan(s->y))
            continue;
        r.min = r.any ? fmin(r.min, s->y) : s->y;
        r.max = r.any ? fmax(r.max, s->y) : s->y;
        r.now = s->y;
        r.any = true;
    }
    return r;
}

static void draw_curve(struct graph *g, const struct curves_look *look, const struct curve *v,
                       unsigned number, const struct curve_range *all)
{
    double width = look->to > look->from ? look->to - look->from : 1;
    double height = all->max > all->min ? all->max - all->min : 1;
    const struct curve_sample *before = NULL;
    size_t i;

    for (i = 0; i < v->count; i++) {
        const struct curve_sample *s = sample_at(v, i), *from = before ? before : s;

        before = isnan(s->y) || s->x < look->from ? NULL : s;
        if (!before)
            continue;
        graph_draw(g, &(struct graph_line){
                          (from->x - look->from) / width, (from->y - all->min) / height,
                          (s->x - look->from) / width, (s->y - all->min) / height, number});
    }
}

/* As many characters of a text as fit. */
static void write_cut(const char *text, size_t columns, FILE *to)
{
    fprintf(to, "%.*s\n", (int)columns, text);
}

static void draw_legend(const struct curves *c, const struct curves_look *look,
                        const struct graph *g, FILE *to)
{
    char text[256];
    size_t i;

    for (i = 0; i < c->n; i++) {
        struct curve_range r = range_of(&c->curves[i], look->from);

        if (r.any)
            snprintf(text, sizeof(text), "%-20s now %-10.6g min %-10.6g max %.6g",
                     c->curves[i].name, r.now, r.min, r.max);
        else
            snprintf(text, sizeof(text), "%-20s no values", c->curves[i].name);
        graph_sample(g, (unsigned)i, to);
        putc(' ', to);
        write_cut(text, look->columns - 2, to);
    }
}

static struct curve_range whole_range(const struct curves *c, double from)
{
    struct curve_range all = {.any = false};
    size_t i;

    for (i = 0; i < c->n; i++) {
        struct curve_range r = range_of(&c->curves[i], from);

        if (!r.any)
            continue;
        all.min = all.any ? fmin(all.min, r.min) : r.min;
        all.max = all.any ? fmax(all.max, r.max) : r.max;
        all.any = true;
    }
    if (all.min == all.max) { /* a constant is drawn in the middle */
        all.min -= 0.5;
        all.max += 0.5;
    }
    return all;
}

static void draw_axis(const struct curves_look *look, size_t width, FILE *to)
{
    char left[32], right[32], text[256];

    snprintf(left, sizeof(left), "%.6g", look->from - look->origin);
    snprintf(right, sizeof(right), "%.6g %s", look->to - look->origin, look->unit);
    snprintf(text, sizeof(text), "%*s %-*s%s", LABEL_WIDTH, "",
             (int)(width > strlen(right) ? width - strlen(right) : 1), left, right);
    write_cut(text, look->columns, to);
}

void curves_draw(const struct curves *c, const struct curves_look *look, FILE *to)
{
    size_t used = 2 + c->n; /* title, legend and x axis */
    struct graph g = {.utf8 = look->utf8, .colours = look->colours};
    struct curve_range all = whole_range(c, look->from);
    size_t rows = look->rows > used + LEAST_ROWS ? look->rows - used : LEAST_ROWS, i;
    size_t width = look->columns > LABEL_WIDTH + 1 + LEAST_COLUMNS ? look->columns - LABEL_WIDTH - 1
                                                                   : LEAST_COLUMNS;

    if (graph_init(&g, width, rows)) {
        for (i = 0; i < c->n; i++)
            draw_curve(&g, look, &c->curves[i], (unsigned)i, &all);
        write_cut(look->title, look->columns, to);
        draw_legend(c, look, &g, to);
        for (i = 0; i < rows; i++) {
            double y = all.max - (all.max - all.min) * (double)i / (double)(rows - 1);

            if (i == 0 || i == rows - 1 || i == rows / 2)
                fprintf(to, "%*.4g ", LABEL_WIDTH, y);
            else
                fprintf(to, "%*s ", LABEL_WIDTH, "");
            graph_row(&g, i, to);
            putc('\n', to);
        }
        draw_axis(look, width, to);
    }
    graph_finish(&g);
}
