/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ode.h - mechanisms of the Open Dynamics Engine
 *
 * A model builds bodies and joints; the rest is the same for all. A joint can be
 * driven in all ways: velocities and positions by ODE's motors.
 */
#ifndef ACHI_ODE_H
#define ACHI_ODE_H

#include <ach/physics.h>
#include <ode/ode.h>
#include <stdbool.h>

#define ACHI_ODE_JOINTS 2
#define ACHI_ODE_BODIES 10000

struct achi_ode_joint {
    dJointID id;
    ach_joint_info_t info;
    double damping, inertia; /* inertia: about what its motor has to move */
    double servo;            /* 1/s */
    enum ach_drive how;
    double value;
    double measured; /* what ODE said last; an angle of less than a turn */
    ach_joint_state_t state;
    dJointFeedback feedback;
};

struct achi_ode_body {
    dBodyID id;
    char name[32];
    size_t whole; /* of which body this one is a part */
    double velocity[3], acceleration[3];
};

struct achi_ode;

struct achi_ode_model {
    const char *name;
    bool quick; /* the solver by default */
    /* Joints, bodies and shapes. False: no memory. Wrong options are refused in the section. */
    bool (*build)(struct achi_ode *o, ach_section_t *s);
    bool collides, movable;
};

struct achi_ode {
    const struct achi_ode_model *model;
    dWorldID world;
    dThreadingImplementationID threading; /* of its own: worlds may step at the same time */
    dSpaceID space;
    dJointGroupID contacts;
    double step; /* of the grid, s */
    double gravity;
    double friction, bounce;
    bool quick;
    unsigned long random; /* the state of ODE's generator for this world */
    size_t n_joints, n_bodies;
    struct achi_ode_joint joint[ACHI_ODE_JOINTS];
    struct achi_ode_body *body;
};

/* Shapes without friction have this category. */
#define ACHI_ODE_SMOOTH 2ul

extern const struct achi_ode_model achi_ode_pendulum, achi_ode_cartpole, achi_ode_boxes,
    achi_ode_diffdrive;

/* For models. Room for bodies, then one after the other; the mass is set later. */
bool achi_ode_reserve(struct achi_ode *o, size_t bodies);
dBodyID achi_ode_add_body(struct achi_ode *o, const char *name, size_t whole);
struct achi_ode_joint *achi_ode_add_joint(struct achi_ode *o, dJointID id, const char *name,
                                          enum ach_joint_kind kind, double strength);
dGeomID achi_ode_attach(struct achi_ode *o, dGeomID shape, size_t body);
void achi_ode_walls(struct achi_ode *o, double x, double y);

/* Joints: before a step, after it, and once the model stands. */
void achi_ode_joint_begin(struct achi_ode_joint *j, double position);
void achi_ode_joint_push(struct achi_ode_joint *j, double erp);
void achi_ode_joint_look(struct achi_ode_joint *j, double h);
ach_status_t achi_ode_joint_drive(void *mechanism, size_t joint, enum ach_drive how, double value);

/* Bodies, as in physics.h. */
void achi_ode_body_look(struct achi_ode_body *b, double h);
void achi_ode_body_get(void *mechanism, size_t body, ach_body_state_t *state);
ach_status_t achi_ode_body_put(void *mechanism, size_t body, const double position[3],
                               const double orientation[4]);
double achi_ode_energy(void *mechanism);

/* What meets what. */
void achi_ode_collide(struct achi_ode *o);
double achi_ode_ray(void *mechanism, size_t body, const double from[3], const double direction[3],
                    double limit);

#endif
