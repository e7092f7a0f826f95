/* SPDX-License-Identifier: BSD-3-Clause */
/* motion.h - a round robot with two wheels: its motion and its odometry */
#ifndef DRV_SIM_MOTION_H
#define DRV_SIM_MOTION_H

#include "world.h"

/* A forward and a turning component: m and rad, per s or per s^2. */
struct drv_sim_pair {
    double ahead, turn;
};

/* Mode of the last command. */
enum drv_sim_mode { DRV_SIM_STAND, DRV_SIM_VEL, DRV_SIM_HEAD, DRV_SIM_POS };

struct drv_sim_command {
    enum drv_sim_mode mode;
    struct drv_sim_pair speed; /* VEL: the speed; POS: its limit, 0: the robot's maximum */
    double heading;            /* HEAD: target heading, in odometry */
    ach_pose2d_t goal;         /* POS: target pose, in odometry */
    bool near;                 /* POS: the position is reached; only the heading is missing */
    double at;                 /* time of the command */
};

struct drv_sim_motion {
    double radius;
    struct drv_sim_pair max, acceleration; /* limits */
    struct drv_sim_pair drift, noise;      /* of the odometry */
    bool power;                            /* motors are on */
    struct drv_sim_command command;

    ach_pose2d_t truth, odometry;
    struct drv_sim_pair speed;
    bool blocked;   /* a wall is in the way */
    bool touching;  /* the robot touches a wall */
    double contact; /* direction of the contact, relative to the robot */
    uint64_t random;
};

/* Advance by dt seconds. */
void drv_sim_motion_step(struct drv_sim_motion *m, const struct drv_map *w, double dt);

/* The speed that the last command requires now. */
struct drv_sim_pair drv_sim_command_follow(struct drv_sim_motion *m);

/* Does the robot fit there without touching a wall? */
bool drv_sim_motion_fits(const struct drv_sim_motion *m, const struct drv_map *w,
                         const ach_pose2d_t *pose);

#endif
