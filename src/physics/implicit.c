/* SPDX-License-Identifier: BSD-3-Clause */
/* implicit.c - Radau IIA of order 5, with a simplified Newton's method */
#include <math.h>
#include <string.h>

#include "integrate.h"

#define STAGES 3
#define N PHYS_INTEGRATE_MAX
#define ALL (STAGES * N)
#define ROUNDS 20   /* most iterations of Newton's method */
#define HALVINGS 12 /* how often a step is halved at most */

#define R6 2.449489742783178098197

static const double a[STAGES][STAGES] = {
    {(88 - 7 * R6) / 360, (296 - 169 * R6) / 1800, (-2 + 3 * R6) / 225},
    {(296 + 169 * R6) / 1800, (88 + 7 * R6) / 360, (-2 - 3 * R6) / 225},
    {(16 - R6) / 36, (16 + R6) / 36, 1.0 / 9},
};

/* By finite differences: accurate enough, since it affects only the convergence. */
static void jacobian(const struct phys_integrator *i, const double *x, double j[N][N])
{
    double y[N] = {0}, f0[N] = {0}, f1[N] = {0};
    size_t r, c;

    memcpy(y, x, i->n * sizeof(*x));
    i->f(i->system, x, f0);
    for (c = 0; c < i->n; c++) {
        double d = 1e-7 * (1 + fabs(x[c]));

        y[c] = x[c] + d;
        i->f(i->system, y, f1);
        y[c] = x[c];
        for (r = 0; r < i->n; r++)
            j[r][c] = (f1[r] - f0[r]) / d;
    }
}

/* A block of 1 - h A (x) J */
static void block(size_t n, double h, double j[N][N], size_t s, size_t t, double m[ALL][ALL])
{
    size_t r, c;

    for (r = 0; r < n; r++)
        for (c = 0; c < n; c++)
            m[s * n + r][t * n + c] = (s == t && r == c) - h * a[s][t] * j[r][c];
}

static void implicit_matrix(size_t n, double h, double j[N][N], double m[ALL][ALL])
{
    size_t s, t;

    for (s = 0; s < STAGES; s++)
        for (t = 0; t < STAGES; t++)
            block(n, h, j, s, t, m);
}

static void swap_rows(double *p, double *q, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        double t = p[i];

        p[i] = q[i];
        q[i] = t;
    }
}

/* LU factorisation in place, with row pivoting. False: the matrix is singular. */
static bool factor(double m[ALL][ALL], size_t n, size_t *order)
{
    size_t c, r, k;

    for (c = 0; c < n; c++) {
        size_t best = c;

        for (r = c + 1; r < n; r++)
            if (fabs(m[r][c]) > fabs(m[best][c]))
                best = r;
        if (!(fabs(m[best][c]) > 0))
            return false;
        order[c] = best;
        swap_rows(m[c], m[best], n);
        for (r = c + 1; r < n; r++) {
            m[r][c] /= m[c][c];
            for (k = c + 1; k < n; k++)
                m[r][k] -= m[r][c] * m[c][k];
        }
    }
    return true;
}

static void implicit_solve(double m[ALL][ALL], size_t n, const size_t *order, double *b)
{
    size_t r, c;

    for (r = 0; r < n; r++)
        swap_rows(&b[r], &b[order[r]], 1);
    for (r = 0; r < n; r++)
        for (c = 0; c < r; c++)
            b[r] -= m[r][c] * b[c];
    for (r = n; r-- > 0;) {
        for (c = r + 1; c < n; c++)
            b[r] -= m[r][c] * b[c];
        b[r] /= m[r][r];
    }
}

/* Residual of the stage equations; the stages z are offsets from x. */
static void residual(const struct phys_integrator *i, const double *x, double h, const double *z,
                     double *wrong)
{
    double f[STAGES][N] = {{0}}, y[N] = {0};
    size_t n = i->n, s, t, v;

    for (s = 0; s < STAGES; s++) {
        for (v = 0; v < n; v++)
            y[v] = x[v] + z[s * n + v];
        i->f(i->system, y, f[s]);
    }
    for (s = 0; s < STAGES; s++)
        for (v = 0; v < n; v++) {
            wrong[s * n + v] = -z[s * n + v];
            for (t = 0; t < STAGES; t++)
                wrong[s * n + v] += h * a[s][t] * f[t][v];
        }
}

static double largest(const struct phys_integrator *i, const double *x, const double *d)
{
    double worst = 0;
    size_t s, v;

    for (s = 0; s < STAGES; s++)
        for (v = 0; v < i->n; v++) {
            double e = fabs(d[s * i->n + v]) / (1 + fabs(x[v]));

            worst = e <= worst ? worst : e;
        }
    return worst;
}

/* Also succeeds if rounding prevents further convergence. */
static bool newton(const struct phys_integrator *i, const double *x, double h, double *z)
{
    double j[N][N] = {{0}}, m[ALL][ALL] = {{0}}, d[ALL] = {0}, last = INFINITY;
    size_t order[ALL], k, all = STAGES * i->n;
    int round;

    jacobian(i, x, j);
    implicit_matrix(i->n, h, j, m);
    if (!factor(m, all, order))
        return false;
    memset(z, 0, all * sizeof(*z));
    for (round = 0; round < ROUNDS; round++) {
        double size;

        residual(i, x, h, z, d);
        implicit_solve(m, all, order, d);
        size = largest(i, x, d);
        if (!isfinite(size) || size > 2 * last)
            return false;
        for (k = 0; k < all; k++)
            z[k] += d[k];
        if (size <= i->tolerance || (size < 1e-9 && size >= last / 2))
            return true;
        last = size;
    }
    return false;
}

static bool halve(const struct phys_integrator *i, double *x, double h, int depth)
{
    double z[ALL] = {0};
    size_t v;

    if (!newton(i, x, h, z))
        return depth > 0 && halve(i, x, h / 2, depth - 1) && halve(i, x, h / 2, depth - 1);
    for (v = 0; v < i->n; v++)
        x[v] += z[(STAGES - 1) * i->n + v];
    return true;
}

bool phys_integrate_implicit(struct phys_integrator *i, double *x, double duration)
{
    return halve(i, x, duration, HALVINGS);
}
