/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - place the robot at a pose, or back at its start */
#include "sim.h"

bool drv_sim_place(struct drv_sim *s, const ach_pose2d_t *pose)
{
    if (!drv_sim_finite(pose) || !drv_sim_motion_fits(&s->motion, &s->world, pose))
        return false;
    s->motion.truth = *pose;
    s->motion.truth.pa = drv_sim_turn(pose->pa);
    s->motion.speed = (struct drv_sim_pair){0};
    s->motion.blocked = s->motion.touching = false;
    return true;
}

void drv_sim_reset(struct drv_sim *s)
{
    struct drv_sim_motion *m = &s->motion;

    drv_sim_place(s, &s->start);
    m->odometry = (ach_pose2d_t){0};
    m->command = (struct drv_sim_command){.mode = DRV_SIM_STAND};
    m->power = true;
    m->random = s->seed;
    s->scanner.sensor.off = s->sonars.sensor.off = false;
    s->scanner.id = 0;
}
