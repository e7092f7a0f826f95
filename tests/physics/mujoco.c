/* SPDX-License-Identifier: BSD-3-Clause */
/* mujoco.c - what only a model file can have: free bodies, rays, motors with limits, mistakes */
#include "physics.h"

#define FREE "engine \"mujoco\" model \"" HERE "/free.xml\" "

static void ball(void)
{
    struct rig r = rig_open(FREE);
    size_t b = phys_mechanism_body_find(r.m, "ball");
    const double at[3] = {0.5, 0, 8}, turn[4] = {1, 0, 0, 0};
    ach_body_state_t s;

    CHECK_OK(phys_mechanism_body_put(r.m, b, at, turn));
    REQUIRE_OK(phys_mechanism_advance(r.m, 500 * MS));
    phys_mechanism_body_get(r.m, b, &s);
    CHECK(fabs(s.position[2] - (8 - 0.5 * 9.81 * 0.25)) < 1e-9);
    CHECK(fabs(s.velocity[2] + 9.81 * 0.5) < 1e-9);
    CHECK(fabs(s.acceleration[2] + 9.81) < 1e-9);
    CHECK(fabs(phys_mechanism_ray(r.m, b, s.position, (double[]){1, 0, 0}, 9) - 1.4) < 1e-9);
    CHECK(fabs(phys_mechanism_ray(r.m, b, s.position, (double[]){-1, 0, 0}, 9) - 3.4) < 1e-9);
    CHECK(phys_mechanism_ray(r.m, b, s.position, (double[]){0, 0, 1}, 9) == 9);
    CHECK(phys_mechanism_ray(r.m, b, s.position, (double[]){-1, 0, 0}, 2) == 2);
    CHECK_STATUS(phys_mechanism_body_put(r.m, phys_mechanism_body_find(r.m, "lower"), at, turn),
                 ACH_ENOTSUP);
    rig_close(&r);
}

/* Two servos that act on each other reach their positions, and no motor exceeds its limit. */
static void arm(void)
{
    struct rig r = rig_open(FREE "keyframe \"bent\"");
    size_t shoulder = phys_mechanism_joint_find(r.m, "shoulder");
    size_t elbow = phys_mechanism_joint_find(r.m, "elbow");
    ach_joint_info_t info;

    CHECK(phys_mechanism_joints(r.m) == 3);
    CHECK(rig_joint(&r, shoulder).position == 0.5 && rig_joint(&r, elbow).position == 1);
    phys_mechanism_joint_info(r.m, shoulder, &info);
    CHECK(info.strength == 100 && isinf(info.highest));
    phys_mechanism_joint_info(r.m, elbow, &info);
    CHECK(info.strength == 40 && info.lowest == -2 && info.highest == 2);
    CHECK_OK(phys_mechanism_joint_drive(r.m, elbow, ACH_DRIVE_EFFORT, -1000));
    CHECK(rig_joint(&r, elbow).effort == -40);
    CHECK_OK(phys_mechanism_joint_drive(r.m, shoulder, ACH_DRIVE_POSITION, 1));
    CHECK_OK(phys_mechanism_joint_drive(r.m, elbow, ACH_DRIVE_POSITION, -0.5));
    REQUIRE_OK(phys_mechanism_advance(r.m, 2000 * MS));
    CHECK(fabs(rig_joint(&r, shoulder).position - 1) < 1e-6);
    CHECK(fabs(rig_joint(&r, elbow).position + 0.5) < 1e-6);
    CHECK_STATUS(phys_mechanism_joint_drive(r.m, phys_mechanism_joint_find(r.m, "free"),
                                            ACH_DRIVE_EFFORT, 1),
                 ACH_ENOTSUP);
    rig_close(&r);
}

static void refused(const char *options, const char *said)
{
    struct rig r;

    CHECK_STATUS(rig_try(&r, options), ACH_EINVAL);
    if (!strstr(ach_config_errors(r.config), said) && !strstr(ach_errstr(), said)) {
        fprintf(stderr, "%s\n%s%s\n", options, ach_config_errors(r.config), ach_errstr());
        CHECK(false);
    }
    rig_close(&r);
}

static void mistakes(void)
{
    refused("engine \"mujoco\"", "the name of an MJCF file");
    refused("engine \"mujoco\" model \"none.xml\"", "none.xml");
    refused("engine \"mujoco\" model \"" HERE "/mujoco.c\"", "world.cfg:2: ");
    refused(FREE "keyframe \"none\"", "a keyframe of the model");
    refused(FREE "positions [1 2 3 4]", "not more values than joints");
}

/* A simulation that diverges ends with an error, and is not reset to its initial state. */
static void bursts(void)
{
    struct rig r = rig_open(FREE "velocities [0 0 1e9]");
    ach_status_t status = ACH_OK;
    int k;

    for (k = 1; k < 100 && status == ACH_OK; k++)
        status = phys_mechanism_advance(r.m, k * 1000 * MS);
    CHECK_STATUS(status, ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "not finite"));
    rig_close(&r);
}

int main(void)
{
    rig_need("mujoco");
    ball();
    arm();
    mistakes();
    bursts();
    return check_result();
}
