/* SPDX-License-Identifier: BSD-3-Clause */
/* steer.c - from what is known to what the robot is told */
#include <math.h>

#include "driver.h"

#define GAIN 1.5              /* rad/s for each rad */
#define TURN_FIRST (M_PI / 3) /* a larger turn is made on the spot */
#define MARGIN 0.02           /* m: what is kept when there is no other way */
#define ALIGNED (M_PI / 180)  /* rad */

static double limited(double v, double limit)
{
    return v > limit ? limit : v < -limit ? -limit : v;
}

static void tell(struct achi_vfh *v, double speed, double turn)
{
    ach_position2d_cmd_vel_t cmd = {.vel = {.px = speed, .pa = turn}, .state = 1};

    v->command_speed = speed;
    v->command_at = ach_driver_time(v->driver);
    ach_driver_command(v->driver, &v->position, ACH_POSITION2D_CMD_VEL, &cmd);
}

void achi_vfh_stop(struct achi_vfh *v)
{
    tell(v, 0, 0);
}

static double turnrate_for(const struct achi_vfh *v, double off)
{
    double max = achi_vfh_at(v->options.max_turnrate, v->state.speed);
    double turn = limited(GAIN * off, max);

    if (fabs(off) > ALIGNED && fabs(turn) < v->options.min_turnrate)
        turn = copysign(fmin(v->options.min_turnrate, max), off);
    return turn;
}

static double distance_to_keep(const struct achi_vfh *v)
{
    return v->options.robot_radius + achi_vfh_at(v->options.safety_dist, v->state.speed);
}

/* Faster only little by little, slower at once. */
static double speed_up(const struct achi_vfh *v, double speed)
{
    double passed = fmin(ach_driver_time(v->driver) - v->command_at, 0.5);

    return fmin(speed, fmax(v->command_speed, 0) + v->options.acceleration * passed);
}

/* First with the distance that is wanted, then with what is needed. */
static bool find_way(struct achi_vfh *v, double target, double reach, double *direction)
{
    double keep[] = {distance_to_keep(v), v->options.robot_radius + MARGIN};
    size_t i;

    for (i = 0; i < 2; i++) {
        achi_vfh_histogram_build(&v->histogram, &v->grid, &v->options, &v->state, reach + keep[i],
                                 keep[i]);
        if (achi_vfh_choose(&v->histogram, &v->options, target, v->state.pose.pa, v->previous,
                            direction))
            return true;
    }
    return false;
}

static double speed_for(const struct achi_vfh *v, double off, double far)
{
    const struct achi_vfh_options *o = &v->options;
    double room = achi_vfh_clearance(&v->grid, &v->state.pose, o->robot_radius + MARGIN,
                                     o->cell_size * o->window_diameter / 2, false);
    double keep = achi_vfh_at(o->safety_dist, v->state.speed) / 2;
    double speed = fmin(o->max_speed, achi_vfh_safe_speed(o, fmax(0, room - keep)));

    if (v->goal_speed > 0)
        speed = fmin(speed, v->goal_speed);
    speed = fmin(speed, achi_vfh_safe_speed(o, far));
    return fabs(off) > TURN_FIRST ? 0 : speed * cos(1.5 * off);
}

static void go(struct achi_vfh *v, double far, double target)
{
    double direction, off;

    if (!find_way(v, target, far, &direction)) {
        tell(v, 0, v->options.min_turnrate);
        return;
    }
    v->previous = direction;
    off = achi_vfh_turn(direction - v->state.pose.pa);
    tell(v, speed_up(v, speed_for(v, off, far)), turnrate_for(v, off));
}

static void align(struct achi_vfh *v)
{
    double off = achi_vfh_turn(v->goal.pa - v->state.pose.pa);

    if (fabs(off) > v->options.angle_epsilon) {
        tell(v, 0, turnrate_for(v, off));
        return;
    }
    v->mode = ACHI_VFH_IDLE;
    achi_vfh_stop(v);
}

static void to_goal(struct achi_vfh *v)
{
    double dx = v->goal.px - v->state.pose.px, dy = v->goal.py - v->state.pose.py;
    double far = hypot(dx, dy);

    if (ach_driver_time(v->driver) < v->escape_until) {
        tell(v, -v->options.escape_speed, 0);
        return;
    }
    if (far <= v->options.distance_epsilon)
        v->mode = ACHI_VFH_ALIGN;
    if (v->mode == ACHI_VFH_ALIGN)
        align(v);
    else
        go(v, far, atan2(dy, dx));
}

/* As told, but not into what is known to be there. */
static void pass_velocity(struct achi_vfh *v)
{
    const struct achi_vfh_options *o = &v->options;
    double room = achi_vfh_clearance(&v->grid, &v->state.pose, distance_to_keep(v),
                                     o->cell_size * o->window_diameter / 2, v->vel_speed < 0);
    double safe = achi_vfh_safe_speed(o, room);

    if (ach_driver_time(v->driver) - v->vel_at > v->command_timeout) {
        v->mode = ACHI_VFH_IDLE;
        achi_vfh_stop(v);
        return;
    }
    tell(v, limited(v->vel_speed, safe), v->vel_turn);
}

void achi_vfh_steer(struct achi_vfh *v)
{
    switch (v->mode) {
    case ACHI_VFH_IDLE:
        break;
    case ACHI_VFH_VEL:
        pass_velocity(v);
        break;
    case ACHI_VFH_GOAL:
    case ACHI_VFH_ALIGN:
        to_goal(v);
        break;
    }
}
