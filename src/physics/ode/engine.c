/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - ODE as a physics engine of the simulation */
#include <ach.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/options.h"
#include "ode.h"

#define ERP 0.2 /* fraction of a joint's error that a full grid step corrects */

static const struct phys_ode_model *const models[] = {
    &phys_ode_boxes,
    &phys_ode_cartpole,
    &phys_ode_diffdrive,
    &phys_ode_pendulum,
};

/* Protects ODE's initialisation and its random generator, which are global in the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t users;

static void enter(void)
{
    pthread_mutex_lock(&lock);
    if (users++ == 0)
        dInitODE2(0);
    pthread_mutex_unlock(&lock);
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
}

static void leave(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0)
        dCloseODE();
    pthread_mutex_unlock(&lock);
}

static const struct phys_ode_model *engine_choose(ach_section_t *s)
{
    const char *name = ach_section_string(s, "model", "");
    size_t i;

    for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    ach_section_refuse(s, "model", 0, "\"pendulum\", \"cartpole\", \"boxes\" or \"diffdrive\"");
    return NULL;
}

static bool quick(const struct phys_ode_model *m, ach_section_t *s)
{
    const char *solver = ach_section_string(s, "solver", m->quick ? "quick" : "exact");

    if (strcmp(solver, "quick") != 0 && strcmp(solver, "exact") != 0)
        ach_section_refuse(s, "solver", 0, "\"quick\" or \"exact\"");
    return strcmp(solver, "quick") == 0;
}

static void ode_destroy(void *mechanism)
{
    struct phys_ode *o = mechanism;

    dJointGroupDestroy(o->contacts);
    dSpaceDestroy(o->space);
    dWorldDestroy(o->world);
    dThreadingFreeImplementation(o->threading);
    leave();
    free(o->body);
    free(o);
}

static void make_world(struct phys_ode *o, ach_section_t *s)
{
    enter();
    o->world = dWorldCreate();
    o->threading = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(
        o->world, dThreadingImplementationGetFunctions(o->threading), o->threading);
    o->space = dHashSpaceCreate(NULL);
    o->contacts = dJointGroupCreate(0);
    o->quick = quick(o->model, s);
    o->step = ach_section_double(s, "step", 0.001);
    o->gravity = ach_section_double(s, "gravity", 9.81);
    o->random = 1;
    dWorldSetGravity(o->world, 0, 0, -o->gravity);
    dWorldSetQuickStepNumIterations(o->world, phys_option_count(s, "iterations", 20, 1, 10000));
    if (o->model->collides)
        dWorldSetCFM(o->world, 1e-6);
    dWorldSetContactSurfaceLayer(o->world, 0.001);
    dWorldSetContactMaxCorrectingVel(o->world, 1);
}

static ach_status_t ode_create(ach_section_t *options, void **mechanism)
{
    const struct phys_ode_model *model = engine_choose(options);
    struct phys_ode *o;

    if (!model)
        return ach_errstr_set(ACH_EINVAL, "ode has no such model");
    o = calloc(1, sizeof(*o));
    if (!o)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for ode");
    o->model = model;
    make_world(o, options);
    if (!model->build(o, options)) {
        ode_destroy(o);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a model of ode");
    }
    *mechanism = o;
    return ACH_OK;
}

/* The quick solver orders its rows at random: give each world its own random sequence. */
static int engine_solve(struct phys_ode *o, double h)
{
    int done;

    if (!o->quick)
        return dWorldStep(o->world, h);
    pthread_mutex_lock(&lock);
    dRandSetSeed(o->random);
    done = dWorldQuickStep(o->world, h);
    o->random = dRandGetSeed();
    pthread_mutex_unlock(&lock);
    return done;
}

/* Scale ERP down in a shorter step: else the correction would give bodies a large velocity. */
static ach_status_t ode_step(void *mechanism, int64_t duration)
{
    struct phys_ode *o = mechanism;
    double h = (double)duration * 1e-9, erp = ERP * fmin(1, h / o->step);
    int done;
    size_t i;

    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    dWorldSetERP(o->world, erp);
    for (i = 0; i < o->n_joints; i++)
        phys_ode_joint_push(&o->joint[i], erp);
    if (o->model->collides)
        phys_ode_collide(o);
    done = engine_solve(o, h);
    for (i = 0; i < o->n_joints; i++)
        phys_ode_joint_look(&o->joint[i], h);
    for (i = 0; i < o->n_bodies; i++)
        phys_ode_body_look(&o->body[i], h);
    dJointGroupEmpty(o->contacts);
    return done ? ACH_OK : ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a step of ode");
}

static size_t joints(void *mechanism)
{
    return ((struct phys_ode *)mechanism)->n_joints;
}

static size_t bodies(void *mechanism)
{
    return ((struct phys_ode *)mechanism)->n_bodies;
}

static const char *body_name(void *mechanism, size_t body)
{
    return ((struct phys_ode *)mechanism)->body[body].name;
}

static void joint_info(void *mechanism, size_t joint, ach_joint_info_t *info)
{
    struct phys_ode_joint *j = &((struct phys_ode *)mechanism)->joint[joint];
    dVector3 axis;

    if (j->info.kind == ACH_JOINT_TURNS)
        dJointGetHingeAxis(j->id, axis);
    else
        dJointGetSliderAxis(j->id, axis);
    *info = j->info;
    memcpy(info->axis, axis, sizeof(info->axis));
}

static void joint_get(void *mechanism, size_t joint, ach_joint_state_t *state)
{
    *state = ((struct phys_ode *)mechanism)->joint[joint].state;
}

static const ach_physics_class_t ode = {
    .version = ACH_PHYSICS_VERSION,
    .name = "ode",
    .create = ode_create,
    .destroy = ode_destroy,
    .step = ode_step,
    .joints = joints,
    .joint_info = joint_info,
    .joint_get = joint_get,
    .joint_drive = phys_ode_joint_drive,
    .bodies = bodies,
    .body_name = body_name,
    .body_get = phys_ode_body_get,
    .body_put = phys_ode_body_put,
    .ray = phys_ode_ray,
    .energy = phys_ode_energy,
};

ACH_PHYSICS_PLUGIN(&ode)
