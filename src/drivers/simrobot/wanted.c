/* SPDX-License-Identifier: BSD-3-Clause */
/* wanted.c - from a command to a speed */
#include <math.h>

#include "motion.h"

#define GAIN 2.0      /* rad/s for each rad of a wrong heading */
#define THERE 0.02    /* m: this is the goal */
#define LEFT 0.10     /* m: this is not the goal any more */
#define ALIGNED 0.005 /* rad: this is the heading */
#define FACING 0.5    /* rad: nearly towards the goal: drive */

static double limited(double v, double limit)
{
    return v > limit ? limit : v < -limit ? -limit : v;
}

static double turn_by(const struct achi_sim_motion *m, double angle, double max)
{
    double brake = sqrt(2 * m->acceleration.turn * fabs(angle));

    if (fabs(angle) < ALIGNED)
        return 0;
    return limited(limited(GAIN * angle, brake), max);
}

static double limit_of(double asked, double max)
{
    return asked != 0 && fabs(asked) < max ? fabs(asked) : max;
}

static struct achi_sim_pair to_goal(struct achi_sim_motion *m)
{
    struct achi_sim_command *c = &m->command;
    double dx = c->goal.px - m->odometry.px, dy = c->goal.py - m->odometry.py;
    double far = hypot(dx, dy), off = achi_sim_turn(atan2(dy, dx) - m->odometry.pa);
    double ahead = limit_of(c->speed.ahead, m->max.ahead);
    double turn = limit_of(c->speed.turn, m->max.turn);
    struct achi_sim_pair p = {0};

    c->near = far < (c->near ? LEFT : THERE);
    if (c->near) {
        p.turn = turn_by(m, achi_sim_turn(c->goal.pa - m->odometry.pa), turn);
        return p;
    }
    p.turn = turn_by(m, off, turn);
    if (fabs(off) < FACING)
        p.ahead = limited(sqrt(m->acceleration.ahead * far), ahead) * cos(off);
    return p;
}

struct achi_sim_pair achi_sim_wanted(struct achi_sim_motion *m)
{
    const struct achi_sim_command *c = &m->command;
    struct achi_sim_pair p = {0};

    if (!m->power)
        return p;
    switch (c->mode) {
    case ACHI_SIM_STAND:
        break;
    case ACHI_SIM_VEL:
        p = c->speed;
        break;
    case ACHI_SIM_HEAD:
        p.ahead = c->speed.ahead;
        p.turn = turn_by(m, achi_sim_turn(c->heading - m->odometry.pa), m->max.turn);
        break;
    case ACHI_SIM_POS:
        p = to_goal(m);
        break;
    }
    return p;
}
