/* SPDX-License-Identifier: BSD-3-Clause */
#include "small.h"

#include <ach.h>
#include <math.h>
#include <string.h>

#include "../common/options.h"
#include "../common/servo.h"

#define MAX PHYS_SMALL_JOINTS

static double clamp(double v, double limit)
{
    return fmin(limit, fmax(-limit, v));
}

/* Always 2x2: in a mechanism with one joint the second has unit mass and no force. */
static void invert(double m[MAX][MAX], double inv[MAX][MAX])
{
    double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];

    inv[0][0] = m[1][1] / det;
    inv[1][1] = m[0][0] / det;
    inv[0][1] = -m[0][1] / det;
    inv[1][0] = -m[1][0] / det;
}

/* The acceleration that a servo wants. */
static double small_wanted(const struct phys_small *s, size_t i, double q, double v, double inv)
{
    const struct phys_small_joint *j = &s->joint[i];

    if (j->how == ACH_DRIVE_VELOCITY)
        return s->servo * (j->value - v);
    return 2 * s->servo *
           (phys_servo_approach(j->value - q, s->servo / 2, 0.5 * inv * j->info.strength) - v);
}

/* The effort that produces the acceleration, given the effort of the other joint. */
static double effort_for(size_t i, double acceleration, double inv[MAX][MAX], const double *bias,
                         const double *effort)
{
    size_t j = 1 - i;

    return (acceleration - inv[i][j] * (effort[j] - bias[j])) / inv[i][i] + bias[i];
}

/* With two servos, both reach their accelerations if both are strong enough. */
static void servos(const struct phys_small *s, const double *q, const double *v, double m[MAX][MAX],
                   double inv[MAX][MAX], const double *bias, double *effort)
{
    bool is[MAX] = {s->joint[0].how != ACH_DRIVE_EFFORT, s->joint[1].how != ACH_DRIVE_EFFORT};
    double a[MAX] = {small_wanted(s, 0, q[0], v[0], inv[0][0]),
                     small_wanted(s, 1, q[1], v[1], inv[1][1])};
    size_t i;

    for (i = 0; i < MAX; i++) {
        if (is[0] && is[1])
            effort[i] = m[i][0] * a[0] + m[i][1] * a[1] + bias[i];
        else if (is[i])
            effort[i] = effort_for(i, a[i], inv, bias, effort);
        if (is[i])
            effort[i] = clamp(effort[i], s->joint[i].info.strength);
    }
}

/* Efforts and accelerations of the joints in state x. */
static void motion(const struct phys_small *s, const double *x, double *effort, double *dv)
{
    double m[MAX][MAX] = {{1, 0}, {0, 1}}, inv[MAX][MAX], q[MAX] = {0}, v[MAX] = {0},
           bias[MAX] = {0};
    size_t i, n = s->model->joints;

    memcpy(q, x, n * sizeof(*x));
    memcpy(v, x + n, n * sizeof(*x));
    s->model->matrix(s, q, m);
    s->model->bias(s, q, v, bias);
    invert(m, inv);
    for (i = 0; i < MAX; i++)
        effort[i] = s->joint[i].how == ACH_DRIVE_EFFORT ? s->joint[i].value : 0;
    if (s->joint[0].how != ACH_DRIVE_EFFORT || s->joint[1].how != ACH_DRIVE_EFFORT)
        servos(s, q, v, m, inv, bias, effort);
    for (i = 0; i < MAX; i++)
        dv[i] = inv[i][0] * (effort[0] - bias[0]) + inv[i][1] * (effort[1] - bias[1]);
}

static void derivative(const void *system, const double *x, double *dx)
{
    const struct phys_small *s = system;
    size_t n = s->model->joints;
    double effort[MAX], dv[MAX];

    motion(s, x, effort, dv);
    memcpy(dx, x + n, n * sizeof(*dx));
    memcpy(dx + n, dv, n * sizeof(*dx));
}

void phys_small_init(struct phys_small *s, const struct phys_small_model *model,
                     ach_section_t *options)
{
    s->model = model;
    s->servo = phys_option_above(options, "servo", 50);
    phys_integrator_read(&s->integrator, options);
    s->integrator.n = 2 * model->joints;
    s->integrator.f = derivative;
    s->integrator.system = s;
}

ach_status_t phys_small_step(void *mechanism, int64_t duration)
{
    struct phys_small *s = mechanism;

    if (!phys_integrate(&s->integrator, s->x, (double)duration * 1e-9))
        return ach_errstr_set(ACH_EINVAL, "the integrator finds no solution");
    return ACH_OK;
}

size_t phys_small_joints(void *mechanism)
{
    return ((struct phys_small *)mechanism)->model->joints;
}

void phys_small_joint_info(void *mechanism, size_t joint, ach_joint_info_t *info)
{
    *info = ((struct phys_small *)mechanism)->joint[joint].info;
}

void phys_small_joint_get(void *mechanism, size_t joint, ach_joint_state_t *state)
{
    struct phys_small *s = mechanism;
    double effort[MAX], dv[MAX];

    motion(s, s->x, effort, dv);
    state->position = s->x[joint];
    state->velocity = s->x[joint + s->model->joints];
    state->acceleration = dv[joint];
    state->effort = effort[joint];
}

ach_status_t phys_small_joint_drive(void *mechanism, size_t joint, enum ach_drive how, double value)
{
    struct phys_small_joint *j = &((struct phys_small *)mechanism)->joint[joint];

    if (!(j->info.strength > 0))
        return ach_errstr_set(ACH_ENOTSUP, "nothing drives joint %s: its strength is 0",
                              j->info.name);
    j->how = how;
    j->value = how == ACH_DRIVE_EFFORT ? clamp(value, j->info.strength) : value;
    return ACH_OK;
}

size_t phys_small_bodies(void *mechanism)
{
    return ((struct phys_small *)mechanism)->model->bodies;
}

const char *phys_small_body_name(void *mechanism, size_t body)
{
    return ((struct phys_small *)mechanism)->model->body_names[body];
}

void phys_small_body_get(void *mechanism, size_t body, ach_body_state_t *state)
{
    struct phys_small *s = mechanism;
    double effort[MAX], dv[MAX];

    motion(s, s->x, effort, dv);
    memset(state, 0, sizeof(*state));
    s->model->body(s, body, s->x, s->x + s->model->joints, dv, state);
}

double phys_small_energy(void *mechanism)
{
    struct phys_small *s = mechanism;
    size_t i, j, n = s->model->joints;
    const double *v = s->x + n;
    double m[MAX][MAX], energy = s->model->potential(s, s->x);

    s->model->matrix(s, s->x, m);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            energy += 0.5 * v[i] * m[i][j] * v[j];
    return energy;
}

void phys_small_ball(double length, double angle, double velocity, double acceleration,
                     ach_body_state_t *state)
{
    double s = sin(angle), c = cos(angle);

    state->position[0] = length * s;
    state->position[2] = -length * c;
    state->orientation[0] = cos(angle / 2);
    state->orientation[2] = -sin(angle / 2);
    state->velocity[0] = length * c * velocity;
    state->velocity[2] = length * s * velocity;
    state->rotation[1] = -velocity;
    state->acceleration[0] = length * (c * acceleration - s * velocity * velocity);
    state->acceleration[2] = length * (s * acceleration + c * velocity * velocity);
}
