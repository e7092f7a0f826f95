/* SPDX-License-Identifier: BSD-3-Clause */
#include "pendulum.h"

#include <math.h>

#define GRAVITY 9.81
#define CATCH_ANGLE 0.3 /* rad from upright */
#define CATCH_SPEED 3.0 /* rad/s */
#define LOST 0.6        /* rad: begin anew */
#define SURPLUS 0.05    /* of the weight's torque: so that it comes over the top in a short time */
#define HURRY 10.0      /* 1/s: how fast it goes upright when it is caught */

double pendulum_inertia(const struct pendulum *p)
{
    return p->mass * (p->length * p->length + 0.4 * p->radius * p->radius);
}

static double weight(const struct pendulum *p)
{
    return p->mass * GRAVITY * p->length;
}

static double limit(double value, double most)
{
    return value > most ? most : value < -most ? -most : value;
}

/* With the motion while energy is missing, against it while there is too much. */
static double swing_up(const struct pendulum *p, double angle, double velocity)
{
    double energy = pendulum_inertia(p) * velocity * velocity / 2 + weight(p) * (cos(angle) - 1);
    double missing = SURPLUS * weight(p) - energy;

    return limit(10 * missing, p->swing) * (velocity < 0 ? -1 : 1);
}

/* Where it ought to be now, and how fast; returns the acceleration there. */
static double go_on(struct way *w, double dt)
{
    double acceleration;

    dt = fmin(dt, 0.01);
    acceleration = -HURRY * (HURRY * w->angle + 2 * w->velocity);
    w->velocity += acceleration * dt;
    w->angle += w->velocity * dt;
    return acceleration;
}

static double balance(const struct pendulum *p, struct way *w, double angle, double velocity,
                      double dt)
{
    double acceleration = go_on(w, dt);

    return limit(pendulum_inertia(p) * acceleration + p->kp * (w->angle - angle) +
                     p->kd * (w->velocity - velocity),
                 p->strength);
}

double pendulum_torque(const struct pendulum *p, struct way *w, double angle, double velocity,
                       double dt)
{
    if (!w->caught && fabs(angle) < CATCH_ANGLE && fabs(velocity) < CATCH_SPEED)
        *w = (struct way){true, angle, velocity};
    if (fabs(angle) > LOST)
        w->caught = false;
    return w->caught ? balance(p, w, angle, velocity, dt) : swing_up(p, angle, velocity);
}

/*
 * The loop is (kp + kd s) / (I s^2 - weight). At the frequency w, its gain is 1 where
 * kp^2 + kd^2 w^2 = (I w^2 + weight)^2, and its phase is that of kp + kd j w, less
 * half a turn.
 */
struct margin pendulum_margin(const struct pendulum *p)
{
    double i = pendulum_inertia(p), g = weight(p);
    double b = p->kd * p->kd - 2 * i * g, c = p->kp * p->kp - g * g;
    struct margin m;

    m.crossover = sqrt((b + sqrt(b * b + 4 * i * i * c)) / (2 * i * i));
    m.phase = atan2(p->kd * m.crossover, p->kp);
    m.delay = m.phase / m.crossover;
    return m;
}
