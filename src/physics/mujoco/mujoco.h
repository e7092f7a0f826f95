/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mujoco.h - mechanisms of MuJoCo, from MJCF files
 *
 * Hinges and slides are joints. A joint with a motor in the model supports all drives: velocities
 * and positions are controlled by a servo that uses the equations of motion.
 */
#ifndef PHYS_MUJOCO_H
#define PHYS_MUJOCO_H

#include <ach/physics.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>

struct phys_mujoco_joint {
    int id, q, v; /* joint id, index of its position in qpos, of its velocity in qvel */
    int motor;    /* index of its actuator; -1: none */
    double scale; /* effort of the motor for a control of 1 */
    double strength;
    enum ach_drive how;
    double value;
};

struct phys_mujoco {
    mjModel *m;
    mjData *d;
    struct phys_mujoco_joint *joint;
    size_t n_joints;
    double servo; /* 1/s */
    bool stale;   /* quantities derived from the state are out of date */
};

/* Find the joints of the model and their motors. False: out of memory. */
bool phys_mujoco_find_joints(struct phys_mujoco *u);

/* Set the initial state from the options "keyframe", "positions" and "velocities". */
void phys_mujoco_begin(struct phys_mujoco *u, ach_section_t *s);

/* Compute the controls for the next step. */
void phys_mujoco_push(struct phys_mujoco *u);

/* Recompute the quantities derived from the state, if they are stale. */
void phys_mujoco_refresh(struct phys_mujoco *u);

/* As in physics.h. */
size_t phys_mujoco_joints(void *mechanism);
void phys_mujoco_joint_info(void *mechanism, size_t joint, ach_joint_info_t *info);
void phys_mujoco_joint_get(void *mechanism, size_t joint, ach_joint_state_t *state);
ach_status_t phys_mujoco_joint_drive(void *mechanism, size_t joint, enum ach_drive how,
                                     double value);
size_t phys_mujoco_bodies(void *mechanism);
const char *phys_mujoco_body_name(void *mechanism, size_t body);
void phys_mujoco_body_get(void *mechanism, size_t body, ach_body_state_t *state);
ach_status_t phys_mujoco_body_put(void *mechanism, size_t body, const double position[3],
                                  const double orientation[4]);
double phys_mujoco_ray(void *mechanism, size_t body, const double from[3],
                       const double direction[3], double limit);
double phys_mujoco_energy(void *mechanism);

#endif
