/* SPDX-License-Identifier: BSD-3-Clause */
/* body.c - bodies, rays and energy; MuJoCo's body 0 is the world and is not counted here */
#include <ach.h>
#include <string.h>

#include "mujoco.h"

/* A step does not update the quantities derived from the state; compute them when needed. */
void phys_mujoco_refresh(struct phys_mujoco *u)
{
    if (!u->stale)
        return;
    mj_forward(u->m, u->d);
    mj_rnePostConstraint(u->m, u->d);
    u->stale = false;
}

size_t phys_mujoco_bodies(void *mechanism)
{
    return (size_t)((struct phys_mujoco *)mechanism)->m->nbody - 1;
}

const char *phys_mujoco_body_name(void *mechanism, size_t body)
{
    const char *name = mj_id2name(((struct phys_mujoco *)mechanism)->m, mjOBJ_BODY, (int)body + 1);

    return name ? name : "";
}

/* MuJoCo returns rotation first, then translation; its accelerations include -gravity. */
void phys_mujoco_body_get(void *mechanism, size_t body, ach_body_state_t *state)
{
    struct phys_mujoco *u = mechanism;
    size_t id = body + 1;
    double both[6];
    int i;

    phys_mujoco_refresh(u);
    memcpy(state->position, &u->d->xpos[3 * id], sizeof(state->position));
    memcpy(state->orientation, &u->d->xquat[4 * id], sizeof(state->orientation));
    mj_objectVelocity(u->m, u->d, mjOBJ_XBODY, (int)id, both, 0);
    memcpy(state->rotation, both, sizeof(state->rotation));
    memcpy(state->velocity, both + 3, sizeof(state->velocity));
    mj_objectAcceleration(u->m, u->d, mjOBJ_XBODY, (int)id, both, 0);
    for (i = 0; i < 3; i++)
        state->acceleration[i] = both[3 + i] + u->m->opt.gravity[i];
}

ach_status_t phys_mujoco_body_put(void *mechanism, size_t body, const double position[3],
                                  const double orientation[4])
{
    struct phys_mujoco *u = mechanism;
    int id = (int)body + 1, joint = u->m->body_jntadr[id];

    if (joint < 0 || u->m->jnt_type[joint] != mjJNT_FREE)
        return ach_errstr_set(ACH_ENOTSUP, "body %s has no free joint",
                              phys_mujoco_body_name(mechanism, body));
    memcpy(&u->d->qpos[u->m->jnt_qposadr[joint]], position, 3 * sizeof(double));
    memcpy(&u->d->qpos[u->m->jnt_qposadr[joint] + 3], orientation, 4 * sizeof(double));
    memset(&u->d->qvel[u->m->jnt_dofadr[joint]], 0, 6 * sizeof(double));
    u->stale = true;
    return ACH_OK;
}

double phys_mujoco_ray(void *mechanism, size_t body, const double from[3],
                       const double direction[3], double limit)
{
    struct phys_mujoco *u = mechanism;
    double way;
    int met;

    phys_mujoco_refresh(u);
    way = mj_ray(u->m, u->d, from, direction, NULL, 1, (int)body + 1, &met);
    return met >= 0 && way >= 0 && way < limit ? way : limit;
}

double phys_mujoco_energy(void *mechanism)
{
    struct phys_mujoco *u = mechanism;

    phys_mujoco_refresh(u);
    return u->d->energy[0] + u->d->energy[1];
}
