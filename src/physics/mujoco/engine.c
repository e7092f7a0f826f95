/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - MuJoCo as a physics engine of the simulation */
#include <ach.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/options.h"
#include "mujoco.h"

/* On errors MuJoCo ends the process by default; here on_error jumps back to the caller. */
static __thread jmp_buf *guard;

static void on_error(const char *text)
{
    ach_errstr_set(ACH_BUG, "mujoco: %s", text);
    if (guard)
        longjmp(*guard, 1);
    fprintf(stderr, "mujoco: %s\n", text);
    abort();
}

/* By default MuJoCo writes a file into the working directory. */
static void on_warning(const char *text)
{
    fprintf(stderr, "mujoco: %s\n", text);
}

/* The path in the option "model", or a file of that name among the plug-in's own models. */
static const char *find_model(ach_section_t *s, char *path, size_t size)
{
    const char *name = ach_section_string(s, "model", NULL);

    if (!name)
        return NULL;
    snprintf(path, size, "%s", ach_section_path(s, "model", ""));
    if (access(path, R_OK) != 0 && !strchr(name, '/'))
        snprintf(path, size, ACHI_MODEL_DIR "/%s", name);
    return path;
}

static void mujoco_destroy(void *mechanism)
{
    struct phys_mujoco *u = mechanism;

    mj_deleteData(u->d);
    mj_deleteModel(u->m);
    free(u->joint);
    free(u);
}

static ach_status_t load(struct phys_mujoco *u, const char *path)
{
    char why[500] = "", *line;

    u->m = mj_loadXML(path, NULL, why, sizeof(why));
    for (line = why; (line = strchr(line, '\n'));)
        *line = line[1] ? ' ' : '\0'; /* the second line says where */
    if (!u->m)
        return ach_errstr_set(ACH_EINVAL, "%s: %s", path, why);
    u->m->opt.enableflags |= mjENBL_ENERGY;
    u->d = mj_makeData(u->m);
    if (!u->d || !phys_mujoco_find_joints(u))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a model of mujoco");
    return ACH_OK;
}

static ach_status_t engine_build(struct phys_mujoco *u, ach_section_t *s)
{
    char path[4096];
    ach_status_t status = ACH_EINVAL;

    u->servo = phys_option_above(s, "servo", 50);
    if (find_model(s, path, sizeof(path)))
        status = load(u, path);
    else
        ach_section_refuse(s, "model", 0, "the name of an MJCF file");
    if (status == ACH_OK)
        phys_mujoco_begin(u, s);
    return status;
}

/* If MuJoCo fails in the guarded part, on_error has set ach_errstr. */
static ach_status_t mujoco_create(ach_section_t *options, void **mechanism)
{
    struct phys_mujoco *u = calloc(1, sizeof(*u));
    volatile ach_status_t status = ACH_BUG;
    jmp_buf here;

    if (!u)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for mujoco");
    mju_user_error = on_error;
    mju_user_warning = on_warning;
    guard = &here;
    if (setjmp(here) == 0)
        status = engine_build(u, options);
    guard = NULL;
    if (status == ACH_OK)
        *mechanism = u;
    else
        mujoco_destroy(u);
    return status;
}

/* MuJoCo resets the state by itself if it is not finite: report that as an error. */
static ach_status_t mujoco_check(const struct phys_mujoco *u)
{
    if (u->d->warning[mjWARN_BADQPOS].number || u->d->warning[mjWARN_BADQVEL].number ||
        u->d->warning[mjWARN_BADQACC].number)
        return ach_errstr_set(ACH_EINVAL, "mujoco: the state is not finite any more");
    return ACH_OK;
}

static ach_status_t mujoco_step(void *mechanism, int64_t duration)
{
    struct phys_mujoco *u = mechanism;
    volatile ach_status_t status = ACH_BUG;
    jmp_buf here;

    guard = &here;
    if (setjmp(here) == 0) {
        phys_mujoco_push(u);
        u->m->opt.timestep = (double)duration * 1e-9;
        mj_step(u->m, u->d);
        u->stale = true;
        status = mujoco_check(u);
    }
    guard = NULL;
    return status;
}

static const ach_physics_class_t mujoco = {
    .version = ACH_PHYSICS_VERSION,
    .name = "mujoco",
    .create = mujoco_create,
    .destroy = mujoco_destroy,
    .step = mujoco_step,
    .joints = phys_mujoco_joints,
    .joint_info = phys_mujoco_joint_info,
    .joint_get = phys_mujoco_joint_get,
    .joint_drive = phys_mujoco_joint_drive,
    .bodies = phys_mujoco_bodies,
    .body_name = phys_mujoco_body_name,
    .body_get = phys_mujoco_body_get,
    .body_put = phys_mujoco_body_put,
    .ray = phys_mujoco_ray,
    .energy = phys_mujoco_energy,
};

ACH_PHYSICS_PLUGIN(&mujoco)
