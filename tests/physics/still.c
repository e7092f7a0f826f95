/* SPDX-License-Identifier: BSD-3-Clause */
/* still.c - engines for tests: one that fails after 0.1 s, and invalid ones by macros */
#include <ach.h>
#include <ach/physics.h>
#include <stdlib.h>

#ifndef CLASS_VERSION
#define CLASS_VERSION ACH_PHYSICS_VERSION
#endif
#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION ACH_PHYSICS_VERSION
#endif
#ifndef PLUGIN_SYMBOL
#define PLUGIN_SYMBOL ach_physics_plugin
#endif

static ach_status_t create(ach_section_t *options, void **mechanism)
{
    (void)options;
    *mechanism = calloc(1, sizeof(int64_t));
    return *mechanism ? ACH_OK : ach_errstr_set(ACH_FAILED_SYSCALL, "no memory");
}

static ach_status_t step(void *mechanism, int64_t duration)
{
    int64_t *now = mechanism;

    if (*now >= 100000000)
        return ach_errstr_set(ACH_CORRUPT, "it broke");
    *now += duration;
    return ACH_OK;
}

static size_t none(void *mechanism)
{
    (void)mechanism;
    return 0;
}

static void joint_info(void *mechanism, size_t joint, ach_joint_info_t *info)
{
    (void)mechanism;
    (void)joint;
    (void)info;
}

static void joint_get(void *mechanism, size_t joint, ach_joint_state_t *state)
{
    (void)mechanism;
    (void)joint;
    (void)state;
}

static ach_status_t joint_drive(void *mechanism, size_t joint, enum ach_drive how, double value)
{
    (void)mechanism;
    (void)joint;
    (void)how;
    (void)value;
    return ACH_ENOTSUP;
}

static const char *body_name(void *mechanism, size_t body)
{
    (void)mechanism;
    (void)body;
    return "";
}

static void body_get(void *mechanism, size_t body, ach_body_state_t *state)
{
    (void)mechanism;
    (void)body;
    (void)state;
}

static const ach_physics_class_t still = {
    .version = CLASS_VERSION,
    .name = "still",
    .create = create,
    .destroy = free,
    .step = step,
    .joints = none,
    .joint_info = joint_info,
    .joint_get = joint_get,
    .joint_drive = joint_drive,
    .bodies = none,
    .body_name = body_name,
    .body_get = body_get,
};

static const ach_physics_class_t *const engines[] = {&still};
__attribute__((visibility("default"))) extern const ach_physics_plugin_t PLUGIN_SYMBOL;
const ach_physics_plugin_t PLUGIN_SYMBOL = {PLUGIN_VERSION, 1, engines};
