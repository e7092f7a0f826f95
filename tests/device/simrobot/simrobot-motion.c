/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simrobot-motion.c - how the simulated robot drives: each command, its limits,
 * walls, the watchdog, odometry
 *
 * The test advances the simulated clock, and checks the data published at each time.
 */
#include <ach/interfaces.h>
#include <math.h>

#include "draw.h"
#include "rig.h"

struct bench {
    struct drawing world;
    struct rig *rig;
    struct ear *robot, *simulation;
    double time;
    ach_position2d_data_t now; /* the last data published */
};

static struct bench begin(const char *options)
{
    struct bench b = {.world = draw_room(6, 4, 0.05), .rig = rig_create(true)};
    char text[1024];

    draw_wall(&b.world, 4, 0, 4.2, 4);
    draw_save(&b.world);
    snprintf(text, sizeof(text),
             "driver (name \"simrobot\" provides [\"position2d:0\" \"bumper:0\" \"simulation:0\"]"
             " bitmap \"%s\" pose [1 2 0] %s)",
             b.world.path, options);
    REQUIRE_OK(rig_load(b.rig, text));
    REQUIRE_OK(ach_robot_start(rig_robot(b.rig)));
    b.robot = ear_open(b.rig, "position2d:0");
    b.simulation = ear_open(b.rig, "simulation:0");
    return b;
}

static void end(struct bench *b)
{
    ear_close(b->robot);
    ear_close(b->simulation);
    rig_end(b->rig);
    draw_end(&b->world);
}

/* Advance the clock in steps of 0.05 s, and wait for the robot's data after each step. */
static void pass(struct bench *b, double seconds)
{
    double until = b->time + seconds;
    ach_message_t *m;

    while (b->time < until - 1e-9) {
        b->time += 0.05;
        REQUIRE_OK(ach_robot_set_time(rig_robot(b->rig), b->time + 1e-6));
        m = ear_data(b->robot, ACH_POSITION2D_DATA_STATE);
        REQUIRE(m);
        CHECK(fabs(ach_message_header(m)->timestamp - b->time) < 1e-3);
        b->now = *(const ach_position2d_data_t *)ach_message_body(m);
        ach_message_unref(m);
    }
}

static void vel(struct bench *b, double v, double w)
{
    ach_position2d_cmd_vel_t cmd = {.vel = {.px = v, .pa = w}, .state = 1};

    REQUIRE_OK(ear_command(b->robot, ACH_POSITION2D_CMD_VEL, &cmd));
}

static ach_pose2d_t truth(struct bench *b)
{
    char name[] = "robot";
    ach_simulation_pose2d_req_t ask = {.name_count = sizeof(name), .name = name};
    ach_message_t *m = ear_request(b->simulation, ACH_SIMULATION_REQ_GET_POSE2D, &ask);
    const ach_simulation_pose2d_req_t *answer = ach_message_body(m);
    ach_pose2d_t pose;

    REQUIRE(answer);
    pose = answer->pose;
    ach_message_unref(m);
    return pose;
}

static bool near(double a, double b, double by)
{
    if (fabs(a - b) > by)
        fprintf(stderr, "%g is not %g\n", a, b);
    return fabs(a - b) <= by;
}

static void velocities(void)
{
    struct bench b = begin("acceleration [0.5 90] max_speed [0.5 90]");

    vel(&b, 0.4, 0);
    pass(&b, 0.4);
    CHECK(near(b.now.vel.px, 0.2, 0.02)); /* to reach 0.4 m/s takes 0.8 s */
    pass(&b, 0.6);
    CHECK(near(b.now.vel.px, 0.4, 1e-9));
    CHECK(near(b.now.pos.px, 0.4 * 1 - 0.4 * 0.8 / 2, 0.02));
    vel(&b, 5, 0);
    pass(&b, 0.5);
    CHECK(near(b.now.vel.px, 0.5, 1e-9));
    vel(&b, 0, M_PI / 4);
    pass(&b, 0.9);
    vel(&b, 0, 0);
    pass(&b, 1);
    CHECK(near(b.now.vel.px, 0, 1e-9) && near(b.now.vel.pa, 0, 1e-9));
    CHECK(b.now.pos.pa > 0.4 && b.now.pos.pa < 0.9);
    CHECK(near(truth(&b).px, b.now.pos.px + 1, 1e-6)); /* no noise: the odometry is right */
    vel(&b, NAN, 0);
    pass(&b, 0.2);
    CHECK(near(b.now.vel.px, 0, 1e-9));
    end(&b);
}

/* One command is enough: by default there is no watchdog. */
static void walls(void)
{
    struct bench b = begin("");
    struct ear *bumper = ear_open(b.rig, "bumper:0");
    const ach_bumper_data_t *d;
    ach_message_t *m;
    int i, pressed = 0;

    vel(&b, 0.5, 0);
    pass(&b, 7);
    CHECK(b.now.stall == 1 && near(b.now.vel.px, 0, 1e-9));
    CHECK(near(truth(&b).px, 3.8, 0.003)); /* its radius is 0.2, the wall at 4 */
    for (i = 0; i < 100 && !pressed; i++) {
        m = ear_data(bumper, ACH_BUMPER_DATA_STATE);
        REQUIRE(m);
        d = ach_message_body(m);
        CHECK(d->bumpers_count == 8);
        pressed = d->bumpers[0]; /* in front */
        ach_message_unref(m);
    }
    CHECK(pressed);
    vel(&b, -0.5, 0);
    pass(&b, 1);
    CHECK(b.now.stall == 0 && b.now.vel.px < -0.4);
    ear_close(bumper);
    end(&b);
}

/* The robot stops when its client sends no more commands. */
static void watchdog(void)
{
    struct bench b = begin("watchdog 0.5");

    vel(&b, 0.3, 0);
    pass(&b, 0.5);
    CHECK(b.now.vel.px > 0.25);
    pass(&b, 1);
    CHECK(near(b.now.vel.px, 0, 1e-9));
    end(&b);
}

static void goals(void)
{
    struct bench b = begin("watchdog 1");
    ach_position2d_cmd_pos_t cmd = {.pos = {1.5, 0.8, M_PI / 2}, .state = 1};

    REQUIRE_OK(ear_command(b.robot, ACH_POSITION2D_CMD_POS, &cmd));
    pass(&b, 10); /* the watchdog does not apply to a goal */
    CHECK(near(b.now.pos.px, 1.5, 0.03) && near(b.now.pos.py, 0.8, 0.03));
    CHECK(near(b.now.pos.pa, M_PI / 2, 0.02) && near(b.now.vel.px, 0, 1e-9));
    end(&b);
}

static void other_commands(void)
{
    struct bench b = begin("watchdog 0 wheelbase 0.5");
    ach_position2d_cmd_car_t car = {.velocity = 0.3, .angle = 0.4};
    ach_position2d_cmd_vel_head_t head = {.velocity = 0, .angle = -1};

    REQUIRE_OK(ear_command(b.robot, ACH_POSITION2D_CMD_CAR, &car));
    pass(&b, 1);
    CHECK(near(b.now.vel.pa, 0.3 * tan(0.4) / 0.5, 1e-6));
    REQUIRE_OK(ear_command(b.robot, ACH_POSITION2D_CMD_VEL_HEAD, &head));
    pass(&b, 4);
    CHECK(near(b.now.pos.pa, -1, 0.02));
    CHECK(ear_acked(b.robot, ACH_POSITION2D_REQ_MOTOR_POWER,
                    &(ach_position2d_power_config_t){.state = 0}));
    vel(&b, 0.3, 0);
    pass(&b, 0.5);
    CHECK(near(b.now.vel.px, 0, 1e-9));
    CHECK(ear_acked(b.robot, ACH_POSITION2D_REQ_MOTOR_POWER,
                    &(ach_position2d_power_config_t){.state = 1}));
    CHECK(ear_acked(b.robot, ACH_POSITION2D_REQ_SET_ODOM,
                    &(ach_position2d_set_odom_req_t){.pose = {7, 8, 1}}));
    pass(&b, 0.1);
    CHECK(near(b.now.pos.px, 7, 1e-9) && near(b.now.pos.pa, 1, 1e-9));
    CHECK(ear_acked(b.robot, ACH_POSITION2D_REQ_RESET_ODOM, NULL));
    pass(&b, 0.1);
    CHECK(near(b.now.pos.px, 0, 1e-9));
    CHECK(ear_acked(b.robot, ACH_POSITION2D_REQ_POSITION_MODE,
                    &(ach_position2d_position_mode_req_t){.state = 1}));
    CHECK(!ear_acked(b.robot, ACH_POSITION2D_REQ_POSITION_MODE,
                     &(ach_position2d_position_mode_req_t){.state = 2}));
    CHECK(!ear_acked(b.robot, ACH_POSITION2D_REQ_SET_ODOM, NULL));
    CHECK(!ear_acked(b.robot, ACH_POSITION2D_REQ_SPEED_PID, NULL));
    end(&b);
}

static void odometry(void)
{
    struct bench b = begin("watchdog 0 odometry_drift [0.1 0]");

    vel(&b, 0.5, 0);
    pass(&b, 2);
    CHECK(near(b.now.pos.px, (truth(&b).px - 1) * 1.1, 1e-6));
    end(&b);
}

int main(void)
{
    velocities();
    walls();
    watchdog();
    goals();
    other_commands();
    odometry();
    return check_result();
}
