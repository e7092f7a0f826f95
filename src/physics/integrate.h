/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * integrate.h - small systems of differential equations x' = f(x)
 *
 * rk4        the classical Runge-Kutta method of order 4, one step for each call
 * adaptive   Dormand-Prince 5(4): as many steps as the tolerance needs; a step with too large
 *            an error is repeated with a shorter one
 * implicit   Radau IIA of order 5 with Newton's method: stable for stiff systems; if Newton's
 *            method does not converge, the step is halved
 */
#ifndef PHYS_INTEGRATE_H
#define PHYS_INTEGRATE_H

#include <ach/config.h>
#include <stdbool.h>
#include <stddef.h>

#define PHYS_INTEGRATE_MAX 4 /* largest number of variables */

enum phys_method { PHYS_RK4, PHYS_ADAPTIVE, PHYS_IMPLICIT };

/* The derivative of x. */
typedef void phys_derivative_t(const void *system, const double *x, double *dx);

struct phys_integrator {
    enum phys_method method;
    double tolerance; /* adaptive: error of a step; implicit: error of Newton's method */
    double next;      /* adaptive: suggested length of the next step; 0: none */
    size_t n;         /* number of variables */
    phys_derivative_t *f;
    const void *system;
};

/* Read the options "integrator" and "tolerance". */
void phys_integrator_read(struct phys_integrator *i, ach_section_t *options);

/* Advance x by duration seconds. False: no solution was found; x is then undefined. */
bool phys_integrate(struct phys_integrator *i, double *x, double duration);

/* One method each. */
bool phys_integrate_rk4(struct phys_integrator *i, double *x, double duration);
bool phys_integrate_adaptive(struct phys_integrator *i, double *x, double duration);
bool phys_integrate_implicit(struct phys_integrator *i, double *x, double duration);

#endif
