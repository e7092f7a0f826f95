/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - what MuJoCo is to the simulation */
#include <ach.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/options.h"
#include "mujoco.h"

/* By default MuJoCo ends the process; here a step that goes wrong comes back to its caller. */
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

/* As it stands, or among those that came with this plug-in. */
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

static void destroy(void *mechanism)
{
    struct achi_mujoco *u = mechanism;

    mj_deleteData(u->d);
    mj_deleteModel(u->m);
    free(u->joint);
    free(u);
}

static ach_status_t load(struct achi_mujoco *u, const char *path)
{
    char why[500] = "", *line;

    u->m = mj_loadXML(path, NULL, why, sizeof(why));
    for (line = why; (line = strchr(line, '\n'));)
        *line = line[1] ? ' ' : '\0'; /* the second line says where */
    if (!u->m)
        return ach_errstr_set(ACH_EINVAL, "%s: %s", path, why);
    u->m->opt.enableflags |= mjENBL_ENERGY;
    u->d = mj_makeData(u->m);
    if (!u->d || !achi_mujoco_find_joints(u))
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a model of mujoco");
    return ACH_OK;
}

static ach_status_t build(struct achi_mujoco *u, ach_section_t *s)
{
    char path[4096];
    ach_status_t status = ACH_EINVAL;

    u->servo = achi_option_above(s, "servo", 50);
    if (find_model(s, path, sizeof(path)))
        status = load(u, path);
    else
        ach_section_refuse(s, "model", 0, "the name of an MJCF file");
    if (status == ACH_OK)
        achi_mujoco_begin(u, s);
    return status;
}

/* What goes wrong in a guarded part leaves its words in ach_errstr. */
static ach_status_t create(ach_section_t *options, void **mechanism)
{
    struct achi_mujoco *u = calloc(1, sizeof(*u));
    volatile ach_status_t status = ACH_BUG;
    jmp_buf here;

    if (!u)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for mujoco");
    mju_user_error = on_error;
    mju_user_warning = on_warning;
    guard = &here;
    if (setjmp(here) == 0)
        status = build(u, options);
    guard = NULL;
    if (status == ACH_OK)
        *mechanism = u;
    else
        destroy(u);
    return status;
}

/* MuJoCo begins anew by itself where a state is no number; nobody shall miss that. */
static ach_status_t check(const struct achi_mujoco *u)
{
    if (u->d->warning[mjWARN_BADQPOS].number || u->d->warning[mjWARN_BADQVEL].number ||
        u->d->warning[mjWARN_BADQACC].number)
        return ach_errstr_set(ACH_EINVAL, "mujoco: the state is not finite any more");
    return ACH_OK;
}

static ach_status_t step(void *mechanism, int64_t duration)
{
    struct achi_mujoco *u = mechanism;
    volatile ach_status_t status = ACH_BUG;
    jmp_buf here;

    guard = &here;
    if (setjmp(here) == 0) {
        achi_mujoco_push(u);
        u->m->opt.timestep = (double)duration * 1e-9;
        mj_step(u->m, u->d);
        u->stale = true;
        status = check(u);
    }
    guard = NULL;
    return status;
}

static const ach_physics_class_t mujoco = {
    .version = ACH_PHYSICS_VERSION,
    .name = "mujoco",
    .create = create,
    .destroy = destroy,
    .step = step,
    .joints = achi_mujoco_joints,
    .joint_info = achi_mujoco_joint_info,
    .joint_get = achi_mujoco_joint_get,
    .joint_drive = achi_mujoco_joint_drive,
    .bodies = achi_mujoco_bodies,
    .body_name = achi_mujoco_body_name,
    .body_get = achi_mujoco_body_get,
    .body_put = achi_mujoco_body_put,
    .ray = achi_mujoco_ray,
    .energy = achi_mujoco_energy,
};

ACH_PHYSICS_PLUGIN(&mujoco)
