/* SPDX-License-Identifier: BSD-3-Clause */
/* physics.h - helpers for tests of physics: a mechanism from a line of options */
#ifndef TEST_PHYSICS_H
#define TEST_PHYSICS_H

#include <math.h>

#include "check.h"
#include "mechanism.h"

#define MS INT64_C(1000000)

struct rig {
    ach_config_t *config;
    struct phys_mechanism *m;
};

/* Open a mechanism with these options; angles are in radians. r->m is NULL if it failed. */
static inline ach_status_t rig_try(struct rig *r, const char *options)
{
    char text[2000];
    int n = snprintf(text, sizeof(text),
                     "unit_angle \"radians\"\nphysics (\n name \"arm\"\n %s\n)\n", options);

    *r = (struct rig){NULL, NULL};
    REQUIRE(n > 0 && (size_t)n < sizeof(text));
    REQUIRE_OK(ach_config_parse(text, (size_t)n, "world.cfg", &r->config));
    return phys_mechanism_open(ach_section_next(ach_config_root(r->config), "physics", NULL),
                               &r->m);
}

static inline struct rig rig_open(const char *options)
{
    struct rig r;
    ach_status_t status = rig_try(&r, options);

    if (status != ACH_OK)
        fprintf(stderr, "%s\n%s%s\n", options, ach_config_errors(r.config), ach_errstr());
    REQUIRE_OK(status);
    return r;
}

static inline void rig_close(struct rig *r)
{
    phys_mechanism_close(r->m);
    ach_config_destroy(r->config);
}

static inline ach_joint_state_t rig_joint(const struct rig *r, size_t joint)
{
    ach_joint_state_t s;

    phys_mechanism_joint_get(r->m, joint, &s);
    return s;
}

static inline double rig_angle(const struct rig *r)
{
    return rig_joint(r, 0).position;
}

/* Skip the test if the engine was not built. */
static inline void rig_need(const char *engine)
{
    const char *have = getenv("ENGINES");
    char why[150];

    if (have && strstr(have, engine))
        return;
    snprintf(why, sizeof(why),
             "this build has no engine %s: lib%s-dev was not there, or it was switched off", engine,
             engine);
    check_skip(why);
}

#endif
