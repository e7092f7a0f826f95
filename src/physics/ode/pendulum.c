/* SPDX-License-Identifier: BSD-3-Clause */
/* pendulum.c - the pendulum and the cartpole, equivalent to the built-in engines */
#include <math.h>

#include "../common/options.h"
#include "ode.h"

/* Set the ball's pose and velocity for a hinge at x that moves with velocity v along x. */
static void place_ball(dBodyID b, const struct phys_pendulum_options *p, double x, double v)
{
    double s = sin(p->angle), c = cos(p->angle);
    dQuaternion q = {cos(p->angle / 2), 0, -sin(p->angle / 2), 0};

    dBodySetPosition(b, x + p->length * s, 0, -p->length * c);
    dBodySetQuaternion(b, q);
    dBodySetLinearVel(b, v + p->length * c * p->velocity, 0, p->length * s * p->velocity);
    dBodySetAngularVel(b, 0, -p->velocity, 0);
}

/* Build it hanging down: ODE's angle 0 is the pose at creation. */
static struct phys_ode_joint *hang(struct phys_ode *o, const struct phys_pendulum_options *p,
                                   dBodyID from)
{
    dBodyID b = phys_ode_add_body(o, "bob", o->n_bodies);
    dJointID hinge = dJointCreateHinge(o->world, NULL);
    struct phys_ode_joint *j;
    dMass m;

    dMassSetSphereTotal(&m, p->mass, p->radius);
    dBodySetMass(b, &m);
    dBodySetPosition(b, 0, 0, -p->length);
    dJointAttach(hinge, b, from);
    dJointSetHingeAnchor(hinge, 0, 0, 0);
    dJointSetHingeAxis(hinge, 0, -1, 0);
    j = phys_ode_add_joint(o, hinge, "hinge", ACH_JOINT_TURNS, p->strength);
    j->damping = p->damping;
    j->inertia = phys_pendulum_inertia(p);
    return j;
}

static void begin(struct phys_ode *o, ach_section_t *s)
{
    double servo = phys_option_above(s, "servo", 50);
    size_t i;

    for (i = 0; i < o->n_joints; i++)
        o->joint[i].servo = servo;
    for (i = 0; i < o->n_bodies; i++)
        phys_ode_body_look(&o->body[i], INFINITY);
}

static bool build_pendulum(struct phys_ode *o, ach_section_t *s)
{
    struct phys_pendulum_options p;
    struct phys_ode_joint *hinge;

    phys_pendulum_read(&p, s, INFINITY);
    if (ach_section_failed(s))
        return true;
    if (!phys_ode_reserve(o, 1))
        return false;
    hinge = hang(o, &p, NULL);
    place_ball(o->body[0].id, &p, 0, 0);
    phys_ode_joint_begin(hinge, p.angle);
    begin(o, s);
    return true;
}

static struct phys_ode_joint *make_cart(struct phys_ode *o, const struct phys_cartpole_options *c)
{
    dBodyID cart = phys_ode_add_body(o, "cart", 0);
    dJointID slider = dJointCreateSlider(o->world, NULL);
    struct phys_ode_joint *j;
    dMass m;

    dMassSetBoxTotal(&m, c->mass, 0.3, 0.2, 0.1);
    dBodySetMass(cart, &m);
    dJointAttach(slider, cart, NULL);
    dJointSetSliderAxis(slider, 1, 0, 0);
    j = phys_ode_add_joint(o, slider, "slider", ACH_JOINT_SLIDES, c->strength);
    j->damping = c->damping;
    j->inertia = c->mass + c->pole.mass;
    j->info.lowest = -c->track;
    j->info.highest = c->track;
    return j;
}

static bool build_cartpole(struct phys_ode *o, ach_section_t *s)
{
    struct phys_cartpole_options c;
    struct phys_ode_joint *slider, *hinge;

    phys_cartpole_read(&c, s);
    if (ach_section_failed(s))
        return true;
    if (!phys_ode_reserve(o, 2))
        return false;
    slider = make_cart(o, &c);
    hinge = hang(o, &c.pole, o->body[0].id);
    dBodySetPosition(o->body[0].id, c.position, 0, 0);
    dBodySetLinearVel(o->body[0].id, c.velocity, 0, 0);
    place_ball(o->body[1].id, &c.pole, c.position, c.velocity);
    phys_ode_joint_begin(slider, c.position);
    phys_ode_joint_begin(hinge, c.pole.angle);
    begin(o, s);
    return true;
}

const struct phys_ode_model phys_ode_pendulum = {.name = "pendulum", .build = build_pendulum};
const struct phys_ode_model phys_ode_cartpole = {.name = "cartpole", .build = build_cartpole};
