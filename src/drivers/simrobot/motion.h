/* SPDX-License-Identifier: BSD-3-Clause */
/* motion.h - a round robot with two wheels: how it moves, and where it believes to be */
#ifndef ACHI_SIM_MOTION_H
#define ACHI_SIM_MOTION_H

#include "world.h"

/* A speed ahead and a rate of turning: m and rad, per s or per s^2. */
struct achi_sim_pair {
    double ahead, turn;
};

/* What it was told last. */
enum achi_sim_mode { ACHI_SIM_STAND, ACHI_SIM_VEL, ACHI_SIM_HEAD, ACHI_SIM_POS };

struct achi_sim_command {
    enum achi_sim_mode mode;
    struct achi_sim_pair speed; /* VEL: this; POS: at most, 0: as fast as it can */
    double heading;             /* HEAD: to turn to, by odometry */
    ach_pose2d_t goal;          /* POS: where to, by odometry */
    bool near;                  /* POS: it is there, and has to turn only */
    double at;                  /* when it was told */
};

struct achi_sim_motion {
    double radius;
    struct achi_sim_pair max, acceleration; /* limits */
    struct achi_sim_pair drift, noise;      /* of the odometry */
    bool power;                             /* motors */
    struct achi_sim_command command;

    ach_pose2d_t truth, odometry;
    struct achi_sim_pair speed;
    bool blocked;   /* a wall is in the way */
    bool touching;  /* a wall */
    double contact; /* in which direction, on the robot */
    uint64_t random;
};

/* Go on for dt seconds. */
void achi_sim_motion_step(struct achi_sim_motion *m, const struct achi_sim_world *w, double dt);

/* What the last command asks for now. */
struct achi_sim_pair achi_sim_wanted(struct achi_sim_motion *m);

/* Whether the robot can stand there. */
bool achi_sim_motion_fits(const struct achi_sim_motion *m, const struct achi_sim_world *w,
                          const ach_pose2d_t *pose);

#endif
