/* SPDX-License-Identifier: BSD-3-Clause */
/* steer.c - choose the velocity command from the goal and the obstacles */
#include <math.h>

#include "driver.h"

#define GAIN 1.5              /* rad/s for each rad of heading error */
#define TURN_FIRST (M_PI / 3) /* a larger turn is made on the spot */
#define MARGIN 0.02           /* m: distance kept if the wanted one leaves no way */
#define ALIGNED (M_PI / 180)  /* rad */

static double steer_limited(double v, double limit)
{
    return v > limit ? limit : v < -limit ? -limit : v;
}

static void steer_tell(struct drv_vfh *v, double speed, double turn)
{
    ach_position2d_cmd_vel_t cmd = {.vel = {.px = speed, .pa = turn}, .state = 1};

    v->command_speed = speed;
    v->command_at = ach_driver_time(v->driver);
    ach_driver_command(v->driver, &v->position, ACH_POSITION2D_CMD_VEL, &cmd);
}

void drv_vfh_stop(struct drv_vfh *v)
{
    steer_tell(v, 0, 0);
}

static double turnrate_for(const struct drv_vfh *v, double off)
{
    double max = drv_vfh_at(v->options.max_turnrate, v->state.speed);
    double turn = steer_limited(GAIN * off, max);

    if (fabs(off) > ALIGNED && fabs(turn) < v->options.min_turnrate)
        turn = copysign(fmin(v->options.min_turnrate, max), off);
    return turn;
}

static double distance_to_keep(const struct drv_vfh *v)
{
    return v->options.robot_radius + drv_vfh_at(v->options.safety_dist, v->state.speed);
}

/* Limit acceleration; brake at once. */
static double speed_up(const struct drv_vfh *v, double speed)
{
    double passed = fmin(ach_driver_time(v->driver) - v->command_at, 0.5);

    return fmin(speed, fmax(v->command_speed, 0) + v->options.acceleration * passed);
}

/* First try to keep the wanted distance, then only the robot's radius and MARGIN. */
static bool find_way(struct drv_vfh *v, double target, double reach, double *direction)
{
    double keep[] = {distance_to_keep(v), v->options.robot_radius + MARGIN};
    size_t i;

    for (i = 0; i < 2; i++) {
        drv_vfh_histogram_build(&v->histogram, &v->grid, &v->options, &v->state, reach + keep[i],
                                keep[i]);
        if (drv_vfh_choose(&v->histogram, &v->options, target, v->state.pose.pa, v->previous,
                           direction))
            return true;
    }
    return false;
}

static double speed_for(const struct drv_vfh *v, double off, double far)
{
    const struct drv_vfh_options *o = &v->options;
    double room = drv_vfh_clearance(&v->grid, &v->state.pose, o->robot_radius + MARGIN,
                                    o->cell_size * o->window_diameter / 2, false);
    double keep = drv_vfh_at(o->safety_dist, v->state.speed) / 2;
    double speed = fmin(o->max_speed, drv_vfh_safe_speed(o, fmax(0, room - keep)));

    if (v->goal_speed > 0)
        speed = fmin(speed, v->goal_speed);
    speed = fmin(speed, drv_vfh_safe_speed(o, far));
    return fabs(off) > TURN_FIRST ? 0 : speed * cos(1.5 * off);
}

static void go(struct drv_vfh *v, double far, double target)
{
    double direction, off;

    if (!find_way(v, target, far, &direction)) {
        steer_tell(v, 0, v->options.min_turnrate);
        return;
    }
    v->previous = direction;
    off = drv_vfh_turn(direction - v->state.pose.pa);
    steer_tell(v, speed_up(v, speed_for(v, off, far)), turnrate_for(v, off));
}

static void align(struct drv_vfh *v)
{
    double off = drv_vfh_turn(v->goal.pa - v->state.pose.pa);

    if (fabs(off) > v->options.angle_epsilon) {
        steer_tell(v, 0, turnrate_for(v, off));
        return;
    }
    v->mode = DRV_VFH_IDLE;
    drv_vfh_stop(v);
}

static void steer_to_goal(struct drv_vfh *v)
{
    double dx = v->goal.px - v->state.pose.px, dy = v->goal.py - v->state.pose.py;
    double far = hypot(dx, dy);

    if (ach_driver_time(v->driver) < v->escape_until) {
        steer_tell(v, -v->options.escape_speed, v->escape_turn);
        return;
    }
    if (far <= v->options.distance_epsilon)
        v->mode = DRV_VFH_ALIGN;
    if (v->mode == DRV_VFH_ALIGN)
        align(v);
    else
        go(v, far, atan2(dy, dx));
}

/* Execute the commanded velocity, but limit it before known obstacles. */
static void pass_velocity(struct drv_vfh *v)
{
    const struct drv_vfh_options *o = &v->options;
    double room = drv_vfh_clearance(&v->grid, &v->state.pose, distance_to_keep(v),
                                    o->cell_size * o->window_diameter / 2, v->vel_speed < 0);
    double safe = drv_vfh_safe_speed(o, room);

    if (ach_driver_time(v->driver) - v->vel_at > v->command_timeout) {
        v->mode = DRV_VFH_IDLE;
        drv_vfh_stop(v);
        return;
    }
    steer_tell(v, steer_limited(v->vel_speed, safe), v->vel_turn);
}

void drv_vfh_steer(struct drv_vfh *v)
{
    switch (v->mode) {
    case DRV_VFH_IDLE:
        break;
    case DRV_VFH_VEL:
        pass_velocity(v);
        break;
    case DRV_VFH_GOAL:
    case DRV_VFH_ALIGN:
        steer_to_goal(v);
        break;
    }
}
