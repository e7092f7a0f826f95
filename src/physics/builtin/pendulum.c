/* SPDX-License-Identifier: BSD-3-Clause */
/* pendulum.c - a ball on a rod, and a motor in the hinge */
#include <ach.h>
#include <math.h>
#include <stdlib.h>

#include "../common/options.h"
#include "../engine.h"
#include "small.h"

struct pendulum {
    struct phys_small small;
    struct phys_pendulum_options p;
};

static const struct pendulum *pendulum_of(const struct phys_small *s)
{
    return (const struct pendulum *)s;
}

static void pendulum_matrix(const struct phys_small *s, const double *q,
                            double m[][PHYS_SMALL_JOINTS])
{
    (void)q;
    m[0][0] = phys_pendulum_inertia(&pendulum_of(s)->p);
}

static void pendulum_bias(const struct phys_small *s, const double *q, const double *v, double *b)
{
    const struct phys_pendulum_options *p = &pendulum_of(s)->p;

    b[0] = p->mass * p->gravity * p->length * sin(q[0]) + p->damping * v[0];
}

static void pendulum_body(const struct phys_small *s, size_t i, const double *q, const double *v,
                          const double *dv, ach_body_state_t *state)
{
    (void)i;
    phys_small_ball(pendulum_of(s)->p.length, q[0], v[0], dv[0], state);
}

static double pendulum_potential(const struct phys_small *s, const double *q)
{
    const struct phys_pendulum_options *p = &pendulum_of(s)->p;

    return -p->mass * p->gravity * p->length * cos(q[0]);
}

static const char *const bodies[] = {"bob"};

static const struct phys_small_model model = {
    .joints = 1,
    .bodies = 1,
    .body_names = bodies,
    .matrix = pendulum_matrix,
    .bias = pendulum_bias,
    .body = pendulum_body,
    .potential = pendulum_potential,
};

static ach_status_t pendulum_create(ach_section_t *options, void **mechanism)
{
    struct pendulum *p = calloc(1, sizeof(*p));

    if (!p)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a pendulum");
    phys_pendulum_read(&p->p, options, INFINITY);
    phys_small_init(&p->small, &model, options);
    p->small.x[0] = p->p.angle;
    p->small.x[1] = p->p.velocity;
    p->small.joint[0].info = (ach_joint_info_t){.name = "hinge",
                                                .kind = ACH_JOINT_TURNS,
                                                .lowest = -INFINITY,
                                                .highest = INFINITY,
                                                .strength = p->p.strength,
                                                .axis = {0, -1, 0}};
    *mechanism = p;
    return ACH_OK;
}

const ach_physics_class_t phys_pendulum = {
    .name = "pendulum",
    .create = pendulum_create,
    PHYS_SMALL_ENGINE,
};
