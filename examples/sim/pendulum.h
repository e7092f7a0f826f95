/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pendulum.h - how to swing a pendulum up and keep it there
 *
 * Angles are from upright. Nothing in here knows of devices, of clocks or of simulations.
 */
#ifndef PENDULUM_H
#define PENDULUM_H

#include <stdbool.h>

/* The pendulum and its controller. */
struct pendulum {
    double mass, length, radius; /* a ball on a rod without mass */
    double kp, kd;               /* torque for an angle and for an angular velocity */
    double swing;                /* torque on the way up */
    double strength;             /* and at most */
};

/* On its way from where it was caught to upright. */
struct way {
    bool caught;
    double angle, velocity;
};

struct margin {
    double crossover; /* rad/s */
    double phase;     /* rad */
    double delay;     /* s; with more of it, balance is lost */
};

double pendulum_inertia(const struct pendulum *p);

/* The torque that is right now; dt: how long ago the last one was asked for. */
double pendulum_torque(const struct pendulum *p, struct way *w, double angle, double velocity,
                       double dt);

/* Of the loop that balances, close to upright and in continuous time. */
struct margin pendulum_margin(const struct pendulum *p);

#endif
