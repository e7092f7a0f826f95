/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * diffdrive.c - a robot with two driven wheels and a caster, in a room with obstacles
 *
 * The wheels touch the floor at one point each; caster and base slide along what they
 * touch. A wheel that turns with a positive velocity moves its side forward.
 */
#include <math.h>

#include "../common/options.h"
#include "ode.h"

enum { BASE, LEFT, RIGHT };

struct robot {
    double size[3], mass;             /* of the base */
    double radius, wheel_mass, apart; /* of the wheels */
    double strength, damping, servo;
    double x, y, angle;
};

static double length_above(ach_section_t *s, const char *name, size_t i, double fallback)
{
    double v = ach_section_tuple_length(s, name, i, fallback);

    if (!(v > 0))
        ach_section_refuse(s, name, i, "a length above 0");
    return v;
}

static void read_robot(struct robot *r, ach_section_t *s)
{
    static const double size[3] = {0.4, 0.3, 0.15};
    size_t i;

    for (i = 0; i < 3; i++)
        r->size[i] = length_above(s, "base_size", i, size[i]);
    r->mass = phys_option_above(s, "base_mass", 5);
    r->radius = length_above(s, "wheel_radius", 0, 0.08);
    r->apart = length_above(s, "wheel_distance", 0, 0.34);
    r->wheel_mass = phys_option_above(s, "wheel_mass", 0.5);
    r->strength = phys_option_from_zero(s, "strength", 1);
    r->damping = phys_option_from_zero(s, "damping", 0.001);
    r->servo = phys_option_above(s, "servo", 20);
    r->x = ach_section_tuple_length(s, "pose", 0, 0);
    r->y = ach_section_tuple_length(s, "pose", 1, 0);
    r->angle = ach_section_tuple_angle(s, "pose", 2, 0);
}

/* The caster is a shape of the base, at its rear. No friction at the base: it saves solver work. */
static void add_base(struct phys_ode *o, const struct robot *r)
{
    dBodyID b = phys_ode_add_body(o, "base", BASE);
    dGeomID box, caster;
    dMass m;

    dMassSetBoxTotal(&m, r->mass, r->size[0], r->size[1], r->size[2]);
    dBodySetMass(b, &m);
    dBodySetPosition(b, 0, 0, r->radius + r->size[2] / 4);
    box = phys_ode_attach(o, dCreateBox(o->space, r->size[0], r->size[1], r->size[2] / 2), BASE);
    dGeomSetOffsetPosition(box, 0, 0, r->size[2] / 4);
    dGeomSetCategoryBits(box, PHYS_ODE_SMOOTH);
    caster = phys_ode_attach(o, dCreateSphere(o->space, r->radius / 2), BASE);
    dGeomSetOffsetPosition(caster, -0.4 * r->size[0], 0, -r->radius / 2 - r->size[2] / 4);
    dGeomSetCategoryBits(caster, PHYS_ODE_SMOOTH);
}

static struct phys_ode_joint *add_wheel(struct phys_ode *o, const struct robot *r, size_t i,
                                        const char *name, double y)
{
    dBodyID b = phys_ode_add_body(o, name, BASE);
    dJointID hinge = dJointCreateHinge(o->world, NULL);
    double forward = 0.2 * r->size[0];
    struct phys_ode_joint *j;
    dMass m;

    dMassSetCylinderTotal(&m, r->wheel_mass, 2, r->radius, 0.03);
    dBodySetMass(b, &m);
    dBodySetPosition(b, forward, y, r->radius);
    phys_ode_attach(o, dCreateSphere(o->space, r->radius), i);
    dJointAttach(hinge, b, o->body[BASE].id);
    dJointSetHingeAnchor(hinge, forward, y, r->radius);
    dJointSetHingeAxis(hinge, 0, 1, 0);
    j = phys_ode_add_joint(o, hinge, name, ACH_JOINT_TURNS, r->strength);
    j->damping = r->damping;
    j->servo = r->servo;
    j->inertia = (r->mass / 2 + 1.5 * r->wheel_mass) * r->radius * r->radius;
    return j;
}

/* Each obstacle is four numbers: its centre x, y, and its sizes along x and y. */
static void add_obstacles(struct phys_ode *o, ach_section_t *s)
{
    size_t i, n = ach_section_tuple_count(s, "obstacles");

    if (n % 4)
        ach_section_refuse(s, "obstacles", 0, "four lengths for each: x, y and two sides");
    for (i = 0; i + 3 < n; i += 4) {
        double x = ach_section_tuple_length(s, "obstacles", i, 0);
        double y = ach_section_tuple_length(s, "obstacles", i + 1, 0);
        double a = length_above(s, "obstacles", i + 2, 1);
        double b = length_above(s, "obstacles", i + 3, 1);

        if (a > 0 && b > 0)
            dGeomSetPosition(dCreateBox(o->space, a, b, 2), x, y, 1);
    }
}

static bool diffdrive_build(struct phys_ode *o, ach_section_t *s)
{
    double room_x = length_above(s, "room", 0, 10), room_y = length_above(s, "room", 1, 10);
    struct robot r;
    double turn[4] = {1, 0, 0, 0}, at[3];

    o->friction = phys_option_from_zero(s, "friction", 0.9);
    read_robot(&r, s);
    add_obstacles(o, s);
    if (ach_section_failed(s))
        return true;
    if (!phys_ode_reserve(o, 3))
        return false;
    phys_ode_walls(o, room_x, room_y);
    add_base(o, &r);
    phys_ode_joint_begin(add_wheel(o, &r, LEFT, "left", r.apart / 2), 0);
    phys_ode_joint_begin(add_wheel(o, &r, RIGHT, "right", -r.apart / 2), 0);
    at[0] = r.x;
    at[1] = r.y;
    at[2] = dBodyGetPosition(o->body[BASE].id)[2];
    turn[0] = cos(r.angle / 2);
    turn[3] = sin(r.angle / 2);
    phys_ode_body_put(o, BASE, at, turn);
    return true;
}

const struct phys_ode_model phys_ode_diffdrive = {
    .name = "diffdrive", .build = diffdrive_build, .collides = true, .movable = true};
