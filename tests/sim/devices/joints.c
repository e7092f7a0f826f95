/* SPDX-License-Identifier: BSD-3-Clause */
/* joints.c - commands act at the time they are given, and other functions of an actarray */
#include <ach/interface/actarray.h>
#include <math.h>

#include "bench.h"
#include "physics/mechanism.h"

#define PHYSICS                                                                                    \
    "unit_angle \"radians\" physics (name \"arm\" engine \"pendulum\" step 0.001 angle 1 "         \
    "strength 50)\n"
#define JOINTS "driver (name \"sim_joints\" provides [\"actarray:0\"] rate 100 "

/* The newest sample. */
static ach_actarray_actuator_t sensed(struct ear *e)
{
    ach_actarray_actuator_t last = {0};
    ach_message_t *m;
    unsigned n = 0;

    while ((m = ear_next(e))) {
        const ach_actarray_data_t *d = ach_message_body(m);

        REQUIRE(d && d->actuators_count == 1);
        last = d->actuators[0];
        ach_message_unref(m);
        n++;
    }
    CHECK(n > 0);
    return last;
}

static ach_status_t effort(struct ear *e, double current)
{
    return ear_command(e, ACH_ACTARRAY_CMD_CURRENT,
                       &(ach_actarray_current_cmd_t){.joint = 0, .current = (float)current});
}

/* The expected state: a torque from `when` on, advanced in steps of 10 ms, without a world. */
static ach_joint_state_t reference(int64_t when, double torque, int64_t end)
{
    ach_config_t *config;
    struct phys_mechanism *m;
    ach_joint_state_t s;
    int64_t t;

    REQUIRE_OK(ach_config_parse(PHYSICS, strlen(PHYSICS), "reference.cfg", &config));
    REQUIRE_OK(phys_mechanism_open(ach_section_next(ach_config_root(config), "physics", NULL), &m));
    for (t = 0; t <= end; t += 10 * MS) {
        if (when <= t && phys_mechanism_now(m) <= when) {
            CHECK_OK(phys_mechanism_advance(m, when));
            CHECK_OK(phys_mechanism_joint_drive(m, 0, ACH_DRIVE_EFFORT, torque));
        }
        CHECK_OK(phys_mechanism_advance(m, t));
    }
    phys_mechanism_joint_get(m, 0, &s);
    phys_mechanism_close(m);
    ach_config_destroy(config);
    return s;
}

/*
 * A torque command acts to the nanosecond, also between two steps of the physics, after
 * command_latency if set. This holds through the driver passthrough, too, which has its own thread.
 */
static void torque(const char *more, const char *address, int64_t given, int64_t acts,
                   double ampere)
{
    char config[500];
    struct bench *b;
    struct ear *e;
    ach_joint_state_t want = reference(acts, 8, 500 * MS),
                      other = reference(acts + 500000, 8, 500 * MS);
    ach_actarray_actuator_t got;

    snprintf(config, sizeof(config),
             PHYSICS JOINTS "%s)\ndriver (name \"passthrough\" provides [\"actarray:1\"] "
                            "requires [\"actarray:0\"])",
             more);
    b = bench_start(config, 1);
    e = ear_open(b, address);
    bench_run(b, given);
    CHECK_OK(effort(e, ampere));
    bench_run(b, 500 * MS);
    got = sensed(e);
    CHECK(got.position == (float)want.position && got.speed == (float)want.velocity);
    CHECK(got.acceleration == (float)want.acceleration);
    CHECK((double)got.current == ampere);
    CHECK(got.position != (float)other.position);
    ear_close(e);
    bench_end(b);
}

static void drives(void)
{
    struct bench *b = bench_start(PHYSICS JOINTS "home 0.5)", 1);
    struct ear *e = ear_open(b, "actarray:0");
    float one[] = {1.25f}, two[] = {1, 2};

    CHECK_OK(ear_command(e, ACH_ACTARRAY_CMD_POS,
                         &(ach_actarray_position_cmd_t){.joint = 0, .position = 2}));
    bench_run(b, 2000 * MS);
    CHECK(fabsf(sensed(e).position - 2) < 1e-3f);
    CHECK_OK(ear_command(e, ACH_ACTARRAY_CMD_MULTI_SPEED,
                         &(ach_actarray_multi_speed_cmd_t){.speeds_count = 1, .speeds = one}));
    bench_run(b, 4000 * MS);
    CHECK(fabsf(sensed(e).speed - 1.25f) < 1e-3f);
    CHECK_OK(ear_command(e, ACH_ACTARRAY_CMD_HOME, &(ach_actarray_home_cmd_t){.joint = -1}));
    bench_run(b, 6000 * MS);
    CHECK(fabsf(sensed(e).position - 0.5f) < 1e-3f);
    CHECK_OK(
        ear_command(e, ACH_ACTARRAY_CMD_MULTI_POS,
                    &(ach_actarray_multi_position_cmd_t){.positions_count = 2, .positions = two}));
    CHECK_OK(ear_command(e, ACH_ACTARRAY_CMD_POS, &(ach_actarray_position_cmd_t){.joint = 1}));
    CHECK_OK(ear_command(e, ACH_ACTARRAY_CMD_CURRENT,
                         &(ach_actarray_current_cmd_t){.current = (float)NAN}));
    CHECK(strstr(b->log, "2 values for 1 joints") && strstr(b->log, "there is no joint 1"));
    CHECK(strstr(b->log, "driven by nan"));
    bench_run(b, 7000 * MS);
    CHECK(fabsf(sensed(e).position - 0.5f) < 1e-3f);
    ear_close(e);
    bench_end(b);
}

static void power_and_brakes(void)
{
    struct bench *b = bench_start(PHYSICS JOINTS ")", 1);
    struct ear *e = ear_open(b, "actarray:0");
    float at;

    bench_run(b, 200 * MS);
    CHECK(ear_acked(e, ACH_ACTARRAY_REQ_BRAKES, &(ach_actarray_brakes_config_t){1}));
    bench_run(b, 1000 * MS);
    at = sensed(e).position;
    CHECK_OK(effort(e, 20));
    CHECK(strstr(b->log, "brakes on"));
    bench_run(b, 2000 * MS);
    CHECK(fabsf(sensed(e).position - at) < 1e-4f);
    CHECK(ear_acked(e, ACH_ACTARRAY_REQ_BRAKES, &(ach_actarray_brakes_config_t){0}));
    CHECK(ear_acked(e, ACH_ACTARRAY_REQ_POWER, &(ach_actarray_power_config_t){0}));
    CHECK_OK(effort(e, 20));
    CHECK(strstr(b->log, "no power"));
    bench_run(b, 2500 * MS);
    CHECK(sensed(e).current == 0);
    CHECK(ear_acked(e, ACH_ACTARRAY_REQ_POWER, &(ach_actarray_power_config_t){1}));
    CHECK_OK(effort(e, 20));
    bench_run(b, 3000 * MS);
    CHECK(sensed(e).current == 20);
    CHECK(!ear_acked(e, ACH_ACTARRAY_REQ_SPEED, &(ach_actarray_speed_config_t){0, 1}));
    ear_close(e);
    bench_end(b);
}

static void geometry(void)
{
    struct bench *b = bench_start("physics (name \"cart\" engine \"cartpole\" track 2)\n"
                                  "driver (name \"sim_joints\" provides [\"actarray:0\"])\n"
                                  "driver (name \"sim_joints\" provides [\"actarray:1\"] "
                                  "joints [\"hinge\"])",
                                  1);
    struct ear *all = ear_open(b, "actarray:0"), *hinge = ear_open(b, "actarray:1");
    ach_message_t *m = ear_request(all, ACH_ACTARRAY_REQ_GET_GEOM, NULL);
    const ach_actarray_geom_t *g = ach_message_body(m);

    REQUIRE(g && g->actuators_count == 2);
    CHECK(g->actuators[0].type == ACH_ACTARRAY_TYPE_LINEAR && g->actuators[0].axis.px == 1);
    CHECK(g->actuators[0].min == -2 && g->actuators[0].max == 2);
    CHECK(g->actuators[1].type == ACH_ACTARRAY_TYPE_ROTARY);
    ach_message_unref(m);
    m = ear_request(hinge, ACH_ACTARRAY_REQ_GET_GEOM, NULL);
    g = ach_message_body(m);
    REQUIRE(g && g->actuators_count == 1);
    CHECK(g->actuators[0].type == ACH_ACTARRAY_TYPE_ROTARY);
    ach_message_unref(m);
    ear_close(all);
    ear_close(hinge);
    bench_end(b);
}

int main(void)
{
    torque("", "actarray:0", 123456789, 123456789, 8);
    torque("", "actarray:0", 120 * MS, 120 * MS, 8);
    torque("", "actarray:1", 123456789, 123456789, 8);
    torque("effort_per_ampere 2", "actarray:0", 123 * MS, 123 * MS, 4);
    torque("command_latency 0.0035", "actarray:0", 123456789, 126956789, 8);
    torque("command_latency 0.0035", "actarray:1", 123456789, 126956789, 8);
    drives();
    power_and_brakes();
    geometry();
    return check_result();
}
