/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mujoco.h - mechanisms of MuJoCo, from MJCF files
 *
 * Hinges and slides are joints. One with a motor in the model can be driven in all
 * ways: velocities and positions by a servo that knows the equations of motion.
 */
#ifndef ACHI_MUJOCO_H
#define ACHI_MUJOCO_H

#include <ach/physics.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>

struct achi_mujoco_joint {
    int id, q, v; /* the joint, where its position is, where its velocity is */
    int motor;    /* -1: none */
    double scale; /* effort of the motor for a control of 1 */
    double strength;
    enum ach_drive how;
    double value;
};

struct achi_mujoco {
    mjModel *m;
    mjData *d;
    struct achi_mujoco_joint *joint;
    size_t n_joints;
    double servo; /* 1/s */
    bool stale;   /* what follows from the state has not been computed for it */
};

/* Joints of the model, with their motors. False: no memory. */
bool achi_mujoco_find_joints(struct achi_mujoco *u);

/* The state to begin with: "keyframe", "positions" and "velocities". */
void achi_mujoco_begin(struct achi_mujoco *u, ach_section_t *s);

/* Controls for the step that comes. */
void achi_mujoco_push(struct achi_mujoco *u);

/* Everything that follows from the state. */
void achi_mujoco_refresh(struct achi_mujoco *u);

/* As in physics.h. */
size_t achi_mujoco_joints(void *mechanism);
void achi_mujoco_joint_info(void *mechanism, size_t joint, ach_joint_info_t *info);
void achi_mujoco_joint_get(void *mechanism, size_t joint, ach_joint_state_t *state);
ach_status_t achi_mujoco_joint_drive(void *mechanism, size_t joint, enum ach_drive how,
                                     double value);
size_t achi_mujoco_bodies(void *mechanism);
const char *achi_mujoco_body_name(void *mechanism, size_t body);
void achi_mujoco_body_get(void *mechanism, size_t body, ach_body_state_t *state);
ach_status_t achi_mujoco_body_put(void *mechanism, size_t body, const double position[3],
                                  const double orientation[4]);
double achi_mujoco_ray(void *mechanism, size_t body, const double from[3],
                       const double direction[3], double limit);
double achi_mujoco_energy(void *mechanism);

#endif
