/* SPDX-License-Identifier: BSD-3-Clause */
/* adaptive.c - Dormand and Prince 5(4) */
#include <math.h>
#include <string.h>

#include "integrate.h"

#define STAGES 7
#define N PHYS_INTEGRATE_MAX
#define STEPS_MAX 1000000 /* limit for one call: beyond it the integration makes no progress */

/* The last row is the solution of order 5: its slope is the first slope of the next step (FSAL). */
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};

/* Weights of the difference between the solutions of order 5 and 4. */
static const double difference[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                          -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* Compute all slopes but the first; y is the end of the step. */
static void stages(const struct phys_integrator *i, const double *x, double h, double k[STAGES][N],
                   double *y)
{
    size_t s, j, v;

    for (s = 1; s < STAGES; s++) {
        for (v = 0; v < i->n; v++) {
            double sum = 0;

            for (j = 0; j < s; j++)
                sum += a[s][j] * k[j][v];
            y[v] = x[v] + h * sum;
        }
        i->f(i->system, y, k[s]);
    }
}

/* Error of a step, relative to the tolerance. */
static double error(const struct phys_integrator *i, const double *x, const double *y, double h,
                    double k[STAGES][N])
{
    double worst = 0;
    size_t s, v;

    for (v = 0; v < i->n; v++) {
        double e = 0, size = 1 + fmax(fabs(x[v]), fabs(y[v]));

        for (s = 0; s < STAGES; s++)
            e += difference[s] * k[s][v];
        e = fabs(h * e) / (i->tolerance * size);
        worst = e <= worst ? worst : e;
    }
    return worst;
}

/* Factor for the length of the next step. */
static double growth(double e)
{
    if (!isfinite(e))
        return 0.1;
    return e < 1e-8 ? 5 : fmin(5, fmax(0.2, 0.9 * pow(e, -0.2)));
}

bool phys_integrate_adaptive(struct phys_integrator *i, double *x, double duration)
{
    double k[STAGES][N], y[N], left = duration, h = i->next > 0 ? i->next : duration;
    int steps;

    i->f(i->system, x, k[0]);
    for (steps = 0; left > 0 && steps < STEPS_MAX; steps++) {
        bool last = h >= left * (1 - 1e-9);
        double way = last ? left : h, e;

        stages(i, x, way, k, y);
        e = error(i, x, y, way, k);
        if (e <= 1) {
            memcpy(x, y, i->n * sizeof(*x));
            memcpy(k[0], k[STAGES - 1], sizeof(k[0]));
            left = last ? 0 : left - way;
        }
        /* A last step was cut at the end of the duration: keep h unless it grew or failed. */
        if (!last || e > 1 || way * growth(e) > h)
            h = way * growth(e);
    }
    i->next = h;
    return left <= 0;
}
