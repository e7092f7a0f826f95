/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * curve.h - how a cost grows
 *
 * A curve has one or more series of points. A point is measured once per round,
 * and is the median of that.
 */
#ifndef SCALING_CURVE_H
#define SCALING_CURVE_H

#include <stdbool.h>

#include "samples.h"

#define SERIES_MAX 6u
#define POINTS_MAX 24u

struct point {
    double x;
    struct samples y; /* one per round */
};

struct series {
    const char *name;
    struct point point[POINTS_MAX]; /* rising */
    unsigned count;
};

struct curve {
    const char *name, *title;
    const char *x_label, *y_label;
    bool x_log, y_log;
    struct series series[SERIES_MAX];
    unsigned count;
};

/* Add what was measured at x. Series and points come into being when first named. */
void curve_sample(struct curve *c, const char *series, double x, double y);

double point_value(struct point *p);

/* The median of what was measured at x; 0 if nothing was. */
double curve_value(struct curve *c, const char *series, double x);

void curve_finish(struct curve *c);

#endif
