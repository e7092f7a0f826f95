/* SPDX-License-Identifier: BSD-3-Clause */
/* integrate.c - choice of the integration method, and rk4 */
#include "integrate.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    double tolerance;
    bool (*go)(struct phys_integrator *i, double *x, double duration);
} methods[] = {
    [PHYS_RK4] = {"rk4", 0, phys_integrate_rk4},
    [PHYS_ADAPTIVE] = {"adaptive", 1e-9, phys_integrate_adaptive},
    [PHYS_IMPLICIT] = {"implicit", 1e-12, phys_integrate_implicit},
};

#define METHODS (sizeof(methods) / sizeof(methods[0]))

static bool integrate_choose(struct phys_integrator *i, const char *name)
{
    size_t k;

    for (k = 0; k < METHODS; k++)
        if (strcmp(methods[k].name, name) == 0) {
            i->method = (enum phys_method)k;
            return true;
        }
    return false;
}

void phys_integrator_read(struct phys_integrator *i, ach_section_t *options)
{
    const char *name = ach_section_string(options, "integrator", "rk4");

    if (!integrate_choose(i, name)) {
        ach_section_refuse(options, "integrator", 0, "\"rk4\", \"adaptive\" or \"implicit\"");
        return;
    }
    i->tolerance = methods[i->method].tolerance;
    if (i->method == PHYS_RK4)
        return;
    i->tolerance = ach_section_double(options, "tolerance", i->tolerance);
    if (!(i->tolerance >= 1e-14 && i->tolerance <= 0.1))
        ach_section_refuse(options, "tolerance", 0, "a number from 1e-14 to 0.1");
}

bool phys_integrate(struct phys_integrator *i, double *x, double duration)
{
    size_t k;

    if (!methods[i->method].go(i, x, duration))
        return false;
    for (k = 0; k < i->n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

/* f(x + h dx) */
static void slope(const struct phys_integrator *i, const double *x, double h, const double *dx,
                  double *result)
{
    double y[PHYS_INTEGRATE_MAX];
    size_t k;

    for (k = 0; k < i->n; k++)
        y[k] = x[k] + h * dx[k];
    i->f(i->system, y, result);
}

bool phys_integrate_rk4(struct phys_integrator *i, double *x, double duration)
{
    double a[PHYS_INTEGRATE_MAX], b[PHYS_INTEGRATE_MAX], c[PHYS_INTEGRATE_MAX],
        d[PHYS_INTEGRATE_MAX], h = duration;
    size_t k;

    i->f(i->system, x, a);
    slope(i, x, h / 2, a, b);
    slope(i, x, h / 2, b, c);
    slope(i, x, h, c, d);
    for (k = 0; k < i->n; k++)
        x[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
    return true;
}
