/* SPDX-License-Identifier: BSD-3-Clause */
/* cartpole.c - a cart on a track, and a pendulum on the cart */
#include <ach.h>
#include <math.h>
#include <stdlib.h>

#include "../common/options.h"
#include "../engine.h"
#include "small.h"

/* The ends of the track are springs with dampers; this is the cart's frequency on them, 1/s. */
#define BUFFER 200

enum { SLIDER, HINGE };
enum { CART, BOB };

struct cartpole {
    struct phys_small small;
    struct phys_cartpole_options c;
};

static const struct cartpole *cartpole_of(const struct phys_small *s)
{
    return (const struct cartpole *)s;
}

static void cartpole_matrix(const struct phys_small *s, const double *q,
                            double m[][PHYS_SMALL_JOINTS])
{
    const struct phys_cartpole_options *c = &cartpole_of(s)->c;

    m[0][0] = c->mass + c->pole.mass;
    m[0][1] = m[1][0] = c->pole.mass * c->pole.length * cos(q[HINGE]);
    m[1][1] = phys_pendulum_inertia(&c->pole);
}

/* Distance of the cart beyond the end of its track; negative at the left end. */
static double beyond(const struct phys_cartpole_options *c, double x)
{
    return fabs(x) > c->track ? x - copysign(c->track, x) : 0;
}

static double buffer(const struct phys_cartpole_options *c, double x, double v)
{
    double in = beyond(c, x);

    if (!(fabs(in) > 0))
        return 0;
    return (c->mass + c->pole.mass) * BUFFER * (BUFFER * in + v);
}

static void cartpole_bias(const struct phys_small *s, const double *q, const double *v, double *b)
{
    const struct phys_cartpole_options *c = &cartpole_of(s)->c;
    const struct phys_pendulum_options *p = &c->pole;

    b[0] = -p->mass * p->length * sin(q[HINGE]) * v[HINGE] * v[HINGE] + c->damping * v[SLIDER] +
           buffer(c, q[SLIDER], v[SLIDER]);
    b[1] = p->mass * p->gravity * p->length * sin(q[HINGE]) + p->damping * v[HINGE];
}

static void cartpole_body(const struct phys_small *s, size_t i, const double *q, const double *v,
                          const double *dv, ach_body_state_t *state)
{
    if (i == BOB)
        phys_small_ball(cartpole_of(s)->c.pole.length, q[HINGE], v[HINGE], dv[HINGE], state);
    else
        state->orientation[0] = 1;
    state->position[0] += q[SLIDER];
    state->velocity[0] += v[SLIDER];
    state->acceleration[0] += dv[SLIDER];
}

static double cartpole_potential(const struct phys_small *s, const double *q)
{
    const struct phys_cartpole_options *c = &cartpole_of(s)->c;
    double in = BUFFER * beyond(c, q[SLIDER]);

    return 0.5 * (c->mass + c->pole.mass) * in * in -
           c->pole.mass * c->pole.gravity * c->pole.length * cos(q[HINGE]);
}

static const char *const bodies[] = {[CART] = "cart", [BOB] = "bob"};

static const struct phys_small_model model = {
    .joints = 2,
    .bodies = 2,
    .body_names = bodies,
    .matrix = cartpole_matrix,
    .bias = cartpole_bias,
    .body = cartpole_body,
    .potential = cartpole_potential,
};

static void name_joints(struct cartpole *c)
{
    c->small.joint[SLIDER].info = (ach_joint_info_t){.name = "slider",
                                                     .kind = ACH_JOINT_SLIDES,
                                                     .lowest = -c->c.track,
                                                     .highest = c->c.track,
                                                     .strength = c->c.strength,
                                                     .axis = {1, 0, 0}};
    c->small.joint[HINGE].info = (ach_joint_info_t){.name = "hinge",
                                                    .kind = ACH_JOINT_TURNS,
                                                    .lowest = -INFINITY,
                                                    .highest = INFINITY,
                                                    .strength = c->c.pole.strength,
                                                    .axis = {0, -1, 0}};
}

static ach_status_t cartpole_create(ach_section_t *options, void **mechanism)
{
    struct cartpole *c = calloc(1, sizeof(*c));

    if (!c)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a cart");
    phys_cartpole_read(&c->c, options);
    phys_small_init(&c->small, &model, options);
    c->small.x[0] = c->c.position;
    c->small.x[1] = c->c.pole.angle;
    c->small.x[2] = c->c.velocity;
    c->small.x[3] = c->c.pole.velocity;
    name_joints(c);
    *mechanism = c;
    return ACH_OK;
}

const ach_physics_class_t phys_cartpole = {
    .name = "cartpole",
    .create = cartpole_create,
    PHYS_SMALL_ENGINE,
};
