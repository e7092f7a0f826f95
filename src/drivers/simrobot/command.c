/* SPDX-License-Identifier: BSD-3-Clause */
/* command.c - from a command to a speed */
#include <math.h>

#include "motion.h"

#define GAIN 2.0      /* rad/s for each rad of heading error */
#define THERE 0.02    /* m: within this distance the goal is reached */
#define LEFT 0.10     /* m: beyond this distance a reached goal is left again */
#define ALIGNED 0.005 /* rad: a smaller heading error is ignored */
#define FACING 0.5    /* rad: drive if the direction to the goal is off by less */

static double command_limited(double v, double limit)
{
    return v > limit ? limit : v < -limit ? -limit : v;
}

static double turn_by(const struct drv_sim_motion *m, double angle, double max)
{
    double brake = sqrt(2 * m->acceleration.turn * fabs(angle));

    if (fabs(angle) < ALIGNED)
        return 0;
    return command_limited(command_limited(GAIN * angle, brake), max);
}

static double limit_of(double asked, double max)
{
    return asked != 0 && fabs(asked) < max ? fabs(asked) : max;
}

static struct drv_sim_pair command_to_goal(struct drv_sim_motion *m)
{
    struct drv_sim_command *c = &m->command;
    double dx = c->goal.px - m->odometry.px, dy = c->goal.py - m->odometry.py;
    double far = hypot(dx, dy), off = drv_sim_turn(atan2(dy, dx) - m->odometry.pa);
    double ahead = limit_of(c->speed.ahead, m->max.ahead);
    double turn = limit_of(c->speed.turn, m->max.turn);
    struct drv_sim_pair p = {0};

    c->near = far < (c->near ? LEFT : THERE);
    if (c->near) {
        p.turn = turn_by(m, drv_sim_turn(c->goal.pa - m->odometry.pa), turn);
        return p;
    }
    p.turn = turn_by(m, off, turn);
    if (fabs(off) < FACING)
        p.ahead = command_limited(sqrt(m->acceleration.ahead * far), ahead) * cos(off);
    return p;
}

struct drv_sim_pair drv_sim_command_follow(struct drv_sim_motion *m)
{
    const struct drv_sim_command *c = &m->command;
    struct drv_sim_pair p = {0};

    if (!m->power)
        return p;
    switch (c->mode) {
    case DRV_SIM_STAND:
        break;
    case DRV_SIM_VEL:
        p = c->speed;
        break;
    case DRV_SIM_HEAD:
        p.ahead = c->speed.ahead;
        p.turn = turn_by(m, drv_sim_turn(c->heading - m->odometry.pa), m->max.turn);
        break;
    case DRV_SIM_POS:
        p = command_to_goal(m);
        break;
    }
    return p;
}
