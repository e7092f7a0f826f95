/* SPDX-License-Identifier: BSD-3-Clause */
/* joint.c - hinges and slides, and their motors */
#include <ach.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/servo.h"
#include "mujoco.h"

#define SWEEPS 8 /* most iterations over servos that affect each other */

/* Is it a motor in the sense of MJCF, whose effort is proportional to its control? */
static bool is_motor(const mjModel *m, size_t actuator, int joint)
{
    return m->actuator_trntype[actuator] == mjTRN_JOINT &&
           m->actuator_trnid[2 * actuator] == joint &&
           m->actuator_dyntype[actuator] == mjDYN_NONE &&
           m->actuator_gaintype[actuator] == mjGAIN_FIXED &&
           m->actuator_biastype[actuator] == mjBIAS_NONE;
}

/* The largest effort that is possible in both directions. */
static double strength(const mjModel *m, size_t a, double gear, double scale)
{
    const mjtNum *c = &m->actuator_ctrlrange[2 * a], *f = &m->actuator_forcerange[2 * a];
    double most = INFINITY;

    if (m->actuator_ctrllimited[a])
        most = fabs(scale) * fmin(-c[0], c[1]);
    if (m->actuator_forcelimited[a])
        most = fmin(most, fabs(gear) * fmin(-f[0], f[1]));
    return fmax(0, most);
}

static void add_motor(const mjModel *m, struct phys_mujoco_joint *j)
{
    size_t a;

    j->motor = -1;
    for (a = 0; a < (size_t)m->nu; a++) {
        double gear = m->actuator_gear[6 * a], scale = gear * m->actuator_gainprm[mjNGAIN * a];

        if (!is_motor(m, a, j->id) || !(fabs(scale) > 0))
            continue;
        j->motor = (int)a;
        j->scale = scale;
        j->strength = strength(m, a, gear, scale);
        return;
    }
}

bool phys_mujoco_find_joints(struct phys_mujoco *u)
{
    const mjModel *m = u->m;
    int i;

    u->joint = calloc((size_t)m->njnt + 1, sizeof(*u->joint));
    if (!u->joint)
        return false;
    for (i = 0; i < m->njnt; i++) {
        struct phys_mujoco_joint *j = &u->joint[u->n_joints];

        if (m->jnt_type[i] != mjJNT_HINGE && m->jnt_type[i] != mjJNT_SLIDE)
            continue;
        j->id = i;
        j->q = m->jnt_qposadr[i];
        j->v = m->jnt_dofadr[i];
        add_motor(m, j);
        u->n_joints++;
    }
    return true;
}

static bool mujoco_turns(const struct phys_mujoco *u, size_t joint)
{
    return u->m->jnt_type[u->joint[joint].id] == mjJNT_HINGE;
}

static double option(const struct phys_mujoco *u, ach_section_t *s, const char *name, size_t joint,
                     double fallback)
{
    return mujoco_turns(u, joint) ? ach_section_tuple_angle(s, name, joint, fallback)
                                  : ach_section_tuple_length(s, name, joint, fallback);
}

static void begin_keyframe(struct phys_mujoco *u, ach_section_t *s)
{
    const char *name = ach_section_string(s, "keyframe", NULL);
    int key = name ? mj_name2id(u->m, mjOBJ_KEY, name) : -1;

    if (key >= 0)
        mj_resetDataKeyframe(u->m, u->d, key);
    else if (name)
        ach_section_refuse(s, "keyframe", 0, "a keyframe of the model");
}

void phys_mujoco_begin(struct phys_mujoco *u, ach_section_t *s)
{
    size_t i;

    begin_keyframe(u, s);
    if (ach_section_tuple_count(s, "positions") > u->n_joints)
        ach_section_refuse(s, "positions", u->n_joints, "not more values than joints");
    if (ach_section_tuple_count(s, "velocities") > u->n_joints)
        ach_section_refuse(s, "velocities", u->n_joints, "not more values than joints");
    for (i = 0; i < u->n_joints; i++) {
        double *q = &u->d->qpos[u->joint[i].q], *v = &u->d->qvel[u->joint[i].v];

        *q = option(u, s, "positions", i, *q);
        *v = option(u, s, "velocities", i, *v);
    }
    u->stale = true;
}

/* The acceleration that a servo wants. */
static double joint_wanted(const struct phys_mujoco *u, const struct phys_mujoco_joint *j,
                           double inverse)
{
    double q = u->d->qpos[j->q], v = u->d->qvel[j->v];

    if (j->how == ACH_DRIVE_VELOCITY)
        return u->servo * (j->value - v);
    return 2 * u->servo *
           (phys_servo_approach(j->value - q, u->servo / 2, 0.5 * inverse * j->strength) - v);
}

/* Acceleration of a joint for an effort of 1. */
static double inverse_inertia(const struct phys_mujoco *u, const struct phys_mujoco_joint *j)
{
    double unit[256], answer;
    double *row = u->m->nv <= 256 ? unit : malloc((size_t)u->m->nv * sizeof(*row));

    if (!row)
        return 1;
    memset(row, 0, (size_t)u->m->nv * sizeof(*row));
    row[j->v] = 1;
    mj_solveM(u->m, u->d, row, row, 1);
    answer = row[j->v];
    if (row != unit)
        free(row);
    return answer;
}

/* Correct the effort of a servo. Returns the change. */
static double correct(const struct phys_mujoco *u, const struct phys_mujoco_joint *j)
{
    double inverse = inverse_inertia(u, j), before = u->d->ctrl[j->motor] * j->scale;
    double effort = before + (joint_wanted(u, j, inverse) - u->d->qacc[j->v]) / inverse;

    effort = fmin(j->strength, fmax(-j->strength, effort));
    u->d->ctrl[j->motor] = effort / j->scale;
    return fabs(effort - before);
}

/* Correct each servo once. Returns the largest change of an effort. */
static double sweep(struct phys_mujoco *u)
{
    double most = 0;
    size_t i;

    for (i = 0; i < u->n_joints; i++) {
        double change;

        if (u->joint[i].how == ACH_DRIVE_EFFORT)
            continue;
        phys_mujoco_refresh(u);
        change = correct(u, &u->joint[i]);
        u->stale = u->stale || change > 0;
        most = fmax(most, change);
    }
    return most;
}

void phys_mujoco_push(struct phys_mujoco *u)
{
    int i;

    for (i = 0; i < SWEEPS && sweep(u) > 1e-9; i++)
        ;
}

size_t phys_mujoco_joints(void *mechanism)
{
    return ((struct phys_mujoco *)mechanism)->n_joints;
}

static const char *name_of(const struct phys_mujoco *u, size_t joint)
{
    const char *name = mj_id2name(u->m, mjOBJ_JOINT, u->joint[joint].id);

    return name ? name : "";
}

void phys_mujoco_joint_info(void *mechanism, size_t joint, ach_joint_info_t *info)
{
    struct phys_mujoco *u = mechanism;
    size_t id = (size_t)u->joint[joint].id;

    phys_mujoco_refresh(u);
    info->name = name_of(u, joint);
    info->kind = mujoco_turns(u, joint) ? ACH_JOINT_TURNS : ACH_JOINT_SLIDES;
    info->lowest = u->m->jnt_limited[id] ? u->m->jnt_range[2 * id] : -INFINITY;
    info->highest = u->m->jnt_limited[id] ? u->m->jnt_range[2 * id + 1] : INFINITY;
    info->strength = u->joint[joint].strength;
    memcpy(info->axis, &u->d->xaxis[3 * id], sizeof(info->axis));
}

void phys_mujoco_joint_get(void *mechanism, size_t joint, ach_joint_state_t *state)
{
    struct phys_mujoco *u = mechanism;
    const struct phys_mujoco_joint *j = &u->joint[joint];

    phys_mujoco_refresh(u);
    state->position = u->d->qpos[j->q];
    state->velocity = u->d->qvel[j->v];
    state->acceleration = u->d->qacc[j->v];
    state->effort = j->motor >= 0 ? u->d->ctrl[j->motor] * j->scale : 0;
}

ach_status_t phys_mujoco_joint_drive(void *mechanism, size_t joint, enum ach_drive how,
                                     double value)
{
    struct phys_mujoco *u = mechanism;
    struct phys_mujoco_joint *j = &u->joint[joint];

    if (j->motor < 0 || !(j->strength > 0))
        return ach_errstr_set(ACH_ENOTSUP, "joint %s has no motor in the model", name_of(u, joint));
    j->how = how;
    j->value = value;
    u->stale = true;
    if (how == ACH_DRIVE_EFFORT)
        u->d->ctrl[j->motor] = fmin(j->strength, fmax(-j->strength, value)) / j->scale;
    return ACH_OK;
}
