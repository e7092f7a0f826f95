/* SPDX-License-Identifier: BSD-3-Clause */
/* Order and stability of the integrators, and how well they conserve energy. */
#include "integrate.h"

#include <math.h>

#include "check.h"

/* x'' = -sin x: a pendulum whose energy is known at all times. */
static void swing(const void *system, const double *x, double *dx)
{
    (void)system;
    dx[0] = x[1];
    dx[1] = -sin(x[0]);
}

/* x' = rate (cos t - x), a linear system; @system is the rate, and x[1] is the time t. */
static void decay(const void *system, const double *x, double *dx)
{
    dx[0] = *(const double *)system * (cos(x[1]) - x[0]);
    dx[1] = 1;
}

static double energy(const double *x)
{
    return x[1] * x[1] / 2 - cos(x[0]);
}

static struct phys_integrator make(enum phys_method method, double tolerance)
{
    return (struct phys_integrator){
        .method = method, .tolerance = tolerance, .n = 2, .f = swing, .system = NULL};
}

static double swung(enum phys_method method, double tolerance, int steps, double *x)
{
    struct phys_integrator i = make(method, tolerance);
    int k;

    x[0] = 2;
    x[1] = 0;
    for (k = 0; k < steps; k++)
        REQUIRE(phys_integrate(&i, x, 4.0 / steps));
    return x[0];
}

static double error(enum phys_method method, int steps)
{
    double x[2], truth[2];

    swung(PHYS_RK4, 0, 20000, truth);
    swung(method, 1e-14, steps, x);
    return hypot(x[0] - truth[0], x[1] - truth[1]);
}

/* The order is log2 of the factor by which half the step reduces the error. */
static void order(enum phys_method method, const char *name, double expected)
{
    double coarse = error(method, 40), fine = error(method, 80), got = log2(coarse / fine);

    printf("%s: error %.2g with 40 steps, %.2g with 80: order %.2f\n", name, coarse, fine, got);
    CHECK(fabs(got - expected) < 0.3);
}

/* The error is bounded by the tolerance, and decreases with it. */
static void tolerances(void)
{
    double x[2], truth = swung(PHYS_RK4, 0, 20000, x), last = 1, t;

    for (t = 1e-4; t > 1e-12; t /= 100) {
        double e = fabs(swung(PHYS_ADAPTIVE, t, 1, x) - truth);

        printf("adaptive: tolerance %.0e, error %.2g\n", t, e);
        CHECK(e < 30 * t);
        CHECK(e < last);
        last = e;
    }
}

/* One call and many calls give the same result within the tolerance. */
static void splits(void)
{
    double x[2], truth = swung(PHYS_RK4, 0, 20000, x);

    CHECK(fabs(swung(PHYS_ADAPTIVE, 1e-10, 1, x) - truth) < 1e-8);
    CHECK(fabs(swung(PHYS_ADAPTIVE, 1e-10, 4001, x) - truth) < 1e-8);
}

static void conserves(enum phys_method method, const char *name, double tolerance, double bound)
{
    struct phys_integrator i = make(method, tolerance);
    double x[2] = {2.5, 0}, worst = 0, e0 = energy(x);
    int k;

    for (k = 0; k < 100000; k++) {
        REQUIRE(phys_integrate(&i, x, 0.01));
        worst = fmax(worst, fabs(energy(x) - e0));
    }
    printf("%s: energy of 1000 s within %.2g\n", name, worst);
    CHECK(worst < bound);
}

/* With a rate of 1e6 per second and steps of 0.01 s, only an implicit method is stable. */
static void stiff(void)
{
    const double rate = 1e6;
    struct phys_integrator i = {
        .method = PHYS_IMPLICIT, .tolerance = 1e-12, .n = 2, .f = decay, .system = &rate};
    double x[2] = {5, 0}, y[2] = {5, 0};
    bool lost = false;
    int k;

    for (k = 0; k < 100; k++)
        REQUIRE(phys_integrate(&i, x, 0.01));
    printf("stiff: off by %.2g after 100 steps\n", fabs(x[0] - cos(x[1])));
    CHECK(fabs(x[0] - cos(x[1])) < 1e-5);
    i.method = PHYS_RK4;
    for (k = 0; k < 100 && !lost; k++)
        lost = !phys_integrate(&i, y, 0.01);
    CHECK(lost);
}

/* x' = 1 + x x has no solution beyond pi/2. */
static void explode(const void *system, const double *x, double *dx)
{
    (void)system;
    dx[0] = 1 + x[0] * x[0];
    dx[1] = 0;
}

static void impossible(void)
{
    enum phys_method m;

    for (m = PHYS_RK4; m <= PHYS_IMPLICIT; m++) {
        struct phys_integrator i = make(m, 1e-9);
        double x[2] = {0, 0};
        bool good = true;
        int k;

        i.f = explode;
        for (k = 0; k < 60 && good; k++)
            good = phys_integrate(&i, x, 0.1);
        CHECK(!good);
    }
}

int main(void)
{
    order(PHYS_RK4, "rk4", 4);
    order(PHYS_IMPLICIT, "implicit", 5);
    tolerances();
    splits();
    conserves(PHYS_RK4, "rk4", 0, 1e-6);
    conserves(PHYS_ADAPTIVE, "adaptive", 1e-10, 1e-6);
    conserves(PHYS_IMPLICIT, "implicit", 1e-12, 1e-6);
    stiff();
    impossible();
    return check_result();
}
