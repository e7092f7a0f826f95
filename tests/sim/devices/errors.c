/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.c - wrong config files: the error message names the line and the reason */
#include "bench.h"

#define ARM "physics (name \"arm\" engine \"pendulum\")\n"
#define JOINTS ARM "driver (name \"sim_joints\" provides [\"actarray:0\"] "

static void wrong(const char *config, const char *place, const char *why)
{
    struct bench b;
    ach_status_t status = bench_try(&b, config, 1);

    if (status == ACH_OK || !strstr(b.log, place) || !strstr(b.log, why)) {
        fprintf(stderr, "%s\nsays (%s):\n%s\nnot: %s ... %s\n", config,
                ach_result_to_string(status), b.log, place, why);
        CHECK(!"what is wrong is said");
    }
    ach_robot_destroy(b.robot);
    simd_world_destroy(b.world);
    ach_config_destroy(b.config);
}

static void mechanisms(void)
{
    wrong("\nphysics (name \"a\" engine \"warp\")", "world.cfg:2", "warp");
    wrong("physics (engine \"pendulum\")", "world.cfg:1", "name");
    wrong(ARM "physics (\nname \"arm\" engine \"cartpole\")", "world.cfg:3",
          "no other mechanism has");
    wrong("physics (name \"a\" engine \"pendulum\" step -1)", "world.cfg:1", "step");
}

static void options(void)
{
    wrong(JOINTS "physics \"leg\")", "world.cfg:2", "the name of a section physics");
    wrong(ARM "physics (name \"b\" engine \"pendulum\")\n"
              "driver (name \"sim_joints\" provides [\"actarray:0\"])",
          "world.cfg:3", "physics");
    wrong("driver (name \"sim_pose\" provides [\"position3d:0\"])", "world.cfg:1", "physics");
    wrong(JOINTS "joints [\"hinge\" \"knee\"])", "world.cfg:2", "the name of a joint");
    wrong(JOINTS "rate 0)", "world.cfg:2", "a rate from");
    wrong(JOINTS "rate \"fast\")", "world.cfg:2", "rate");
    wrong(JOINTS "latency -1)", "world.cfg:2", "a time from");
    wrong(JOINTS "command_latency 1e9)", "world.cfg:2", "a time from");
    wrong(JOINTS "noise -0.1)", "world.cfg:2", "0 or more");
    wrong(JOINTS "noise [0 0 0 0])", "world.cfg:2", "noise");
    wrong(JOINTS "quantum [0 -1])", "world.cfg:2", "0 or more");
    wrong(JOINTS "effort_per_ampere 0)", "world.cfg:2", "an effort above 0");
    wrong(ARM "driver (name \"sim_joints\" provides [\"laser:0\"])", "world.cfg:2", "actarray");
    wrong(ARM "driver (name \"sim_pose\" provides [\"position3d:0\"] body \"toe\")", "world.cfg:2",
          "the name of a body");
    wrong(ARM "driver (name \"sim_imu\" provides [\"imu:0\"] data \"raw\")", "world.cfg:2",
          "euler");
    wrong(ARM "driver (name \"sim_ranger\" provides [\"ranger:0\"] resolution 0)", "world.cfg:2",
          "rays");
    wrong(ARM "driver (name \"sim_ranger\" provides [\"ranger:0\"] min_range 5 max_range 4)",
          "world.cfg:2", "min_range");
    wrong(ARM "driver (name \"sim_base\" provides [\"position2d:0\"] left \"hinge\" radius 1 "
              "track 1)",
          "world.cfg:2", "on each side");
    wrong(ARM "driver (name \"sim_base\" provides [\"position2d:0\"] left \"hinge\" "
              "right \"hinge\" track 1)",
          "world.cfg:2", "radius");
}

/* All errors are reported at once. */
static void several(void)
{
    wrong(ARM "driver (name \"sim_joints\" provides [\"actarray:0\"]\nrate 0\nlatency -1)\n"
              "driver (name \"sim_imu\" provides [\"imu:0\"]\nbody \"toe\")",
          "world.cfg:3", "world.cfg:4");
    wrong(ARM "driver (name \"sim_joints\" provides [\"actarray:0\"]\nrate 0)\n"
              "driver (name \"sim_imu\" provides [\"imu:0\"]\nbody \"toe\")",
          "world.cfg:3", "world.cfg:5");
}

/* Two worlds in one process do not mix, and a robot without a world has no such devices. */
static void worlds(void)
{
    struct bench *a = bench_start(ARM "driver (name \"sim_pose\" provides [\"position3d:0\"])", 1);
    struct bench *b = bench_start(ARM "driver (name \"sim_pose\" provides [\"position3d:0\"])", 1);
    struct ear *e = ear_open(b, "position3d:0");
    const char *other = "driver (name \"sim_pose\" provides [\"position3d:1\"])";
    ach_config_t *config;

    CHECK(simd_world_next(a->world) == INT64_MAX && simd_world_next(b->world) == 0);
    ear_close(e);
    REQUIRE_OK(ach_config_parse(other, strlen(other), "other.cfg", &config));
    CHECK_STATUS(ach_robot_load_config(a->robot, config), ACH_EINVAL);
    CHECK(strstr(a->log, "other.cfg:1: there is no simulation of this config file"));
    bench_end(b);
    bench_end(a);
    ach_config_destroy(config);
}

int main(void)
{
    mechanisms();
    options();
    several();
    worlds();
    return check_result();
}
