/* SPDX-License-Identifier: BSD-3-Clause */
/* cartpole.c - a cart on a track, and a pendulum on the cart */
#include <ach.h>
#include <math.h>
#include <stdlib.h>

#include "../common/options.h"
#include "../engine.h"
#include "small.h"

/* The ends of the track are springs with dampers: so fast, 1/s, is the cart with them. */
#define BUFFER 200

enum { SLIDER, HINGE };
enum { CART, BOB };

struct cartpole {
    struct achi_small small;
    struct achi_cartpole_options c;
};

static const struct cartpole *of(const struct achi_small *s)
{
    return (const struct cartpole *)s;
}

static void matrix(const struct achi_small *s, const double *q, double m[][ACHI_SMALL_JOINTS])
{
    const struct achi_cartpole_options *c = &of(s)->c;

    m[0][0] = c->mass + c->pole.mass;
    m[0][1] = m[1][0] = c->pole.mass * c->pole.length * cos(q[HINGE]);
    m[1][1] = achi_pendulum_inertia(&c->pole);
}

/* How far the cart is beyond the end of its track. */
static double beyond(const struct achi_cartpole_options *c, double x)
{
    return fabs(x) > c->track ? x - copysign(c->track, x) : 0;
}

static double buffer(const struct achi_cartpole_options *c, double x, double v)
{
    double in = beyond(c, x);

    if (!(fabs(in) > 0))
        return 0;
    return (c->mass + c->pole.mass) * BUFFER * (BUFFER * in + v);
}

static void bias(const struct achi_small *s, const double *q, const double *v, double *b)
{
    const struct achi_cartpole_options *c = &of(s)->c;
    const struct achi_pendulum_options *p = &c->pole;

    b[0] = -p->mass * p->length * sin(q[HINGE]) * v[HINGE] * v[HINGE] + c->damping * v[SLIDER] +
           buffer(c, q[SLIDER], v[SLIDER]);
    b[1] = p->mass * p->gravity * p->length * sin(q[HINGE]) + p->damping * v[HINGE];
}

static void body(const struct achi_small *s, size_t i, const double *q, const double *v,
                 const double *dv, ach_body_state_t *state)
{
    if (i == BOB)
        achi_small_ball(of(s)->c.pole.length, q[HINGE], v[HINGE], dv[HINGE], state);
    else
        state->orientation[0] = 1;
    state->position[0] += q[SLIDER];
    state->velocity[0] += v[SLIDER];
    state->acceleration[0] += dv[SLIDER];
}

static double potential(const struct achi_small *s, const double *q)
{
    const struct achi_cartpole_options *c = &of(s)->c;
    double in = BUFFER * beyond(c, q[SLIDER]);

    return 0.5 * (c->mass + c->pole.mass) * in * in -
           c->pole.mass * c->pole.gravity * c->pole.length * cos(q[HINGE]);
}

static const char *const bodies[] = {[CART] = "cart", [BOB] = "bob"};

static const struct achi_small_model model = {
    .joints = 2,
    .bodies = 2,
    .body_names = bodies,
    .matrix = matrix,
    .bias = bias,
    .body = body,
    .potential = potential,
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

static ach_status_t create(ach_section_t *options, void **mechanism)
{
    struct cartpole *c = calloc(1, sizeof(*c));

    if (!c)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a cart");
    achi_cartpole_read(&c->c, options);
    achi_small_init(&c->small, &model, options);
    c->small.x[0] = c->c.position;
    c->small.x[1] = c->c.pole.angle;
    c->small.x[2] = c->c.velocity;
    c->small.x[3] = c->c.pole.velocity;
    name_joints(c);
    *mechanism = c;
    return ACH_OK;
}

const ach_physics_class_t achi_physics_cartpole = {
    .name = "cartpole",
    .create = create,
    ACHI_SMALL_ENGINE,
};
