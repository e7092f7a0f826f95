/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * small.h - mechanisms of one or two joints, by their equations of motion
 *
 * With joint positions q and velocities v a model says
 *
 *     matrix(q) v' + bias(q, v) = effort
 *
 * and the rest is the same for all: integration, what drives the joints, what is seen.
 *
 * A joint that is driven to a velocity or position has a servo, which knows the
 * equations: as long as its strength is enough, the error dies away with the
 * option "servo" as its rate, whatever else pulls at the joint.
 */
#ifndef ACHI_SMALL_H
#define ACHI_SMALL_H

#include <ach/physics.h>

#include "../integrate.h"

#define ACHI_SMALL_JOINTS 2

struct achi_small;

struct achi_small_model {
    size_t joints, bodies;
    const char *const *body_names;
    void (*matrix)(const struct achi_small *s, const double *q, double m[][ACHI_SMALL_JOINTS]);
    void (*bias)(const struct achi_small *s, const double *q, const double *v, double *bias);
    void (*body)(const struct achi_small *s, size_t body, const double *q, const double *v,
                 const double *dv, ach_body_state_t *state);
    double (*potential)(const struct achi_small *s, const double *q);
};

struct achi_small_joint {
    ach_joint_info_t info;
    enum ach_drive how;
    double value;
};

/* A model's own struct begins with this. */
struct achi_small {
    const struct achi_small_model *model;
    struct achi_small_joint joint[ACHI_SMALL_JOINTS];
    struct achi_integrator integrator;
    double servo;                    /* 1/s */
    double x[2 * ACHI_SMALL_JOINTS]; /* all q, then all v */
};

/* The options that all have. */
void achi_small_init(struct achi_small *s, const struct achi_small_model *model,
                     ach_section_t *options);

/* For the tables of engines; a mechanism is what create gave, with free to destroy it. */
ach_status_t achi_small_step(void *mechanism, int64_t duration);
size_t achi_small_joints(void *mechanism);
void achi_small_joint_info(void *mechanism, size_t joint, ach_joint_info_t *info);
void achi_small_joint_get(void *mechanism, size_t joint, ach_joint_state_t *state);
ach_status_t achi_small_joint_drive(void *mechanism, size_t joint, enum ach_drive how,
                                    double value);
size_t achi_small_bodies(void *mechanism);
const char *achi_small_body_name(void *mechanism, size_t body);
void achi_small_body_get(void *mechanism, size_t body, ach_body_state_t *state);
double achi_small_energy(void *mechanism);

/* All of a table but its name and create. */
#define ACHI_SMALL_ENGINE                                                                          \
    .version = ACH_PHYSICS_VERSION, .destroy = free, .step = achi_small_step,                      \
    .joints = achi_small_joints, .joint_info = achi_small_joint_info,                              \
    .joint_get = achi_small_joint_get, .joint_drive = achi_small_joint_drive,                      \
    .bodies = achi_small_bodies, .body_name = achi_small_body_name,                                \
    .body_get = achi_small_body_get, .energy = achi_small_energy

/* A ball on a rod that turns: its state relative to the hinge, which does not turn. */
void achi_small_ball(double length, double angle, double velocity, double acceleration,
                     ach_body_state_t *state);

#endif
