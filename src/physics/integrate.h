/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * integrate.h - small systems of differential equations x' = f(x)
 *
 * rk4        the classical method of order 4, one step for each call
 * adaptive   Dormand and Prince 5(4): as many steps as the tolerance needs; steps that
 *            were too long are taken back
 * implicit   Radau IIA of order 5 with Newton's method: stable, however stiff the
 *            system is; where Newton's method does not converge the step is halved
 */
#ifndef ACHI_INTEGRATE_H
#define ACHI_INTEGRATE_H

#include <ach/config.h>
#include <stdbool.h>
#include <stddef.h>

#define ACHI_INTEGRATE_MAX 4 /* variables */

enum achi_method { ACHI_RK4, ACHI_ADAPTIVE, ACHI_IMPLICIT };

/* The derivative of x. */
typedef void achi_derivative_t(const void *system, const double *x, double *dx);

struct achi_integrator {
    enum achi_method method;
    double tolerance; /* of a step: adaptive; of an equation: implicit */
    double next;      /* adaptive: the length of step that the last ones suggest; 0: none */
    size_t n;         /* variables */
    achi_derivative_t *f;
    const void *system;
};

/* The options "integrator" and "tolerance". */
void achi_integrator_read(struct achi_integrator *i, ach_section_t *options);

/* Go on by so many seconds. False: there is no solution; x may be anything. */
bool achi_integrate(struct achi_integrator *i, double *x, double duration);

/* One method each. */
bool achi_integrate_rk4(struct achi_integrator *i, double *x, double duration);
bool achi_integrate_adaptive(struct achi_integrator *i, double *x, double duration);
bool achi_integrate_implicit(struct achi_integrator *i, double *x, double duration);

#endif
