/* SPDX-License-Identifier: BSD-3-Clause */
#include "curve.h"

#include <string.h>

#include "peer.h"

static struct series *find_series(struct curve *c, const char *name)
{
    unsigned i;

    for (i = 0; i < c->count; i++)
        if (strcmp(c->series[i].name, name) == 0)
            return &c->series[i];
    return NULL;
}

static struct point *find_point(struct series *s, double x)
{
    unsigned i;

    for (i = 0; i < s->count; i++)
        if (s->point[i].x == x)
            return &s->point[i];
    return NULL;
}

void curve_sample(struct curve *c, const char *series, double x, double y)
{
    struct series *s = find_series(c, series);
    struct point *p;

    if (!s) {
        MUST(c->count < SERIES_MAX);
        s = &c->series[c->count++];
        s->name = series;
    }
    p = find_point(s, x);
    if (!p) {
        MUST(s->count < POINTS_MAX);
        p = &s->point[s->count++];
        p->x = x;
    }
    samples_add(&p->y, y);
}

double point_value(struct point *p)
{
    return samples_quantile(&p->y, 0.5);
}

double curve_value(struct curve *c, const char *series, double x)
{
    struct series *s = find_series(c, series);
    struct point *p = s ? find_point(s, x) : NULL;

    return p ? point_value(p) : 0;
}

void curve_finish(struct curve *c)
{
    unsigned i, j;

    for (i = 0; i < c->count; i++)
        for (j = 0; j < c->series[i].count; j++)
            samples_finish(&c->series[i].point[j].y);
}
