/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * small.h - mechanisms of one or two joints, simulated by their equations of motion
 *
 * With joint positions q and velocities v a model defines
 *
 *     matrix(q) v' + bias(q, v) = effort
 *
 * and the rest is the same for all models: integration, drives, states of joints and bodies.
 *
 * A joint that is driven to a velocity or position has a servo that uses these equations: as long
 * as its strength is enough, the error decays at the rate of the option "servo", whatever other
 * forces act on the joint.
 */
#ifndef PHYS_SMALL_H
#define PHYS_SMALL_H

#include <ach/physics.h>

#include "../integrate.h"

#define PHYS_SMALL_JOINTS 2

struct phys_small;

struct phys_small_model {
    size_t joints, bodies;
    const char *const *body_names;
    void (*matrix)(const struct phys_small *s, const double *q, double m[][PHYS_SMALL_JOINTS]);
    void (*bias)(const struct phys_small *s, const double *q, const double *v, double *bias);
    void (*body)(const struct phys_small *s, size_t body, const double *q, const double *v,
                 const double *dv, ach_body_state_t *state);
    double (*potential)(const struct phys_small *s, const double *q);
};

struct phys_small_joint {
    ach_joint_info_t info;
    enum ach_drive how;
    double value;
};

/* First member of a model's own struct. */
struct phys_small {
    const struct phys_small_model *model;
    struct phys_small_joint joint[PHYS_SMALL_JOINTS];
    struct phys_integrator integrator;
    double servo;                    /* 1/s */
    double x[2 * PHYS_SMALL_JOINTS]; /* all q, then all v */
};

/* Read the options that all models have. */
void phys_small_init(struct phys_small *s, const struct phys_small_model *model,
                     ach_section_t *options);

/* For the engines' function tables. mechanism: the result of create; free destroys it. */
ach_status_t phys_small_step(void *mechanism, int64_t duration);
size_t phys_small_joints(void *mechanism);
void phys_small_joint_info(void *mechanism, size_t joint, ach_joint_info_t *info);
void phys_small_joint_get(void *mechanism, size_t joint, ach_joint_state_t *state);
ach_status_t phys_small_joint_drive(void *mechanism, size_t joint, enum ach_drive how,
                                    double value);
size_t phys_small_bodies(void *mechanism);
const char *phys_small_body_name(void *mechanism, size_t body);
void phys_small_body_get(void *mechanism, size_t body, ach_body_state_t *state);
double phys_small_energy(void *mechanism);

/* All members of a function table except name and create. */
#define PHYS_SMALL_ENGINE                                                                          \
    .version = ACH_PHYSICS_VERSION, .destroy = free, .step = phys_small_step,                      \
    .joints = phys_small_joints, .joint_info = phys_small_joint_info,                              \
    .joint_get = phys_small_joint_get, .joint_drive = phys_small_joint_drive,                      \
    .bodies = phys_small_bodies, .body_name = phys_small_body_name,                                \
    .body_get = phys_small_body_get, .energy = phys_small_energy

/* State of a ball on a turning rod, relative to the hinge, in axes that do not turn. */
void phys_small_ball(double length, double angle, double velocity, double acceleration,
                     ach_body_state_t *state);

#endif
