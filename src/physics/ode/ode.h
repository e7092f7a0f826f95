/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ode.h - mechanisms of the Open Dynamics Engine
 *
 * A model builds bodies and joints; the rest is the same for all models. A joint supports all
 * drives: velocities and positions are controlled by ODE's motors.
 */
#ifndef PHYS_ODE_H
#define PHYS_ODE_H

#include <ach/physics.h>
#include <ode/ode.h>
#include <stdbool.h>

#define PHYS_ODE_JOINTS 2
#define PHYS_ODE_BODIES 10000

struct phys_ode_joint {
    dJointID id;
    ach_joint_info_t info;
    double damping, inertia; /* inertia: approximate inertia that its motor moves */
    double servo;            /* 1/s */
    enum ach_drive how;
    double value;
    double measured; /* last position that ODE reported; an angle of less than a turn */
    ach_joint_state_t state;
    dJointFeedback feedback;
};

struct phys_ode_body {
    dBodyID id;
    char name[32];
    size_t whole; /* index of the body that this one is a part of */
    double velocity[3], acceleration[3];
};

struct phys_ode;

struct phys_ode_model {
    const char *name;
    bool quick; /* default solver: dWorldQuickStep */
    /* Create joints, bodies and shapes. False: out of memory. Wrong options fail the section. */
    bool (*build)(struct phys_ode *o, ach_section_t *s);
    bool collides, movable;
};

struct phys_ode {
    const struct phys_ode_model *model;
    dWorldID world;
    dThreadingImplementationID threading; /* one for each world: worlds may step concurrently */
    dSpaceID space;
    dJointGroupID contacts;
    double step; /* of the grid, s */
    double gravity;
    double friction, bounce;
    bool quick;
    unsigned long random; /* the state of ODE's generator for this world */
    size_t n_joints, n_bodies;
    struct phys_ode_joint joint[PHYS_ODE_JOINTS];
    struct phys_ode_body *body;
};

/* Category of shapes without friction. */
#define PHYS_ODE_SMOOTH 2ul

extern const struct phys_ode_model phys_ode_pendulum, phys_ode_cartpole, phys_ode_boxes,
    phys_ode_diffdrive;

/* For models. Reserve room for all bodies, then add them one by one; the model sets the mass. */
bool phys_ode_reserve(struct phys_ode *o, size_t bodies);
dBodyID phys_ode_add_body(struct phys_ode *o, const char *name, size_t whole);
struct phys_ode_joint *phys_ode_add_joint(struct phys_ode *o, dJointID id, const char *name,
                                          enum ach_joint_kind kind, double strength);
dGeomID phys_ode_attach(struct phys_ode *o, dGeomID shape, size_t body);
void phys_ode_walls(struct phys_ode *o, double x, double y);

/* Joints: begin once the model is built, push before each step, look after it. */
void phys_ode_joint_begin(struct phys_ode_joint *j, double position);
void phys_ode_joint_push(struct phys_ode_joint *j, double erp);
void phys_ode_joint_look(struct phys_ode_joint *j, double h);
ach_status_t phys_ode_joint_drive(void *mechanism, size_t joint, enum ach_drive how, double value);

/* Bodies, as in physics.h. */
void phys_ode_body_look(struct phys_ode_body *b, double h);
void phys_ode_body_get(void *mechanism, size_t body, ach_body_state_t *state);
ach_status_t phys_ode_body_put(void *mechanism, size_t body, const double position[3],
                               const double orientation[4]);
double phys_ode_energy(void *mechanism);

/* Collision detection. */
void phys_ode_collide(struct phys_ode *o);
double phys_ode_ray(void *mechanism, size_t body, const double from[3], const double direction[3],
                    double limit);

#endif
