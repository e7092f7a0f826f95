/* SPDX-License-Identifier: BSD-3-Clause */
/* curves.h - numbers over time, and a picture of them */
#ifndef CURVES_H
#define CURVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Samples kept of each curve; the oldest are dropped. */
#define CURVE_SAMPLES 65536u

struct curve {
    const char *name;
    struct curve_sample {
        double x, y; /* y NaN: a gap */
    } * samples;     /* a ring */
    size_t first, count;
};

struct curves {
    struct curve *curves;
    size_t n;
};

/* How a picture looks. */
struct curves_look {
    const char *title;
    double from, to;  /* x */
    double origin;    /* the x that is labelled 0 */
    const char *unit; /* of x */
    size_t columns, rows;
    bool utf8, colours;
};

/* Names must stay. False: no memory. Finish it in any case. */
bool curves_init(struct curves *c, char **names, size_t n);
void curves_add(struct curves *c, size_t curve, double x, double y);

/* The smallest and largest x. False: there are no samples. */
bool curves_span(const struct curves *c, double *from, double *to);

/* Draw lines, each with a newline: the title, a legend, the curves, and the x axis. */
void curves_draw(const struct curves *c, const struct curves_look *look, FILE *to);
void curves_finish(struct curves *c);

#endif
