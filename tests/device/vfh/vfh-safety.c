/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vfh-safety.c - velocities are passed on but not into a wall; without scans the
 * robot stops; a robot in a box does not move; requests are passed on
 *
 * The test advances the simulated clock, and waits at each time for data of vfh.
 */
#include <ach/interfaces.h>
#include <math.h>

#include "../simrobot/draw.h"
#include "rig.h"

static const char config[] =
    "driver (name \"simrobot\" provides [\"position2d:0\" \"laser:0\" \"bumper:0\""
    " \"simulation:0\"]"
    "  bitmap \"%s\" pose [%g 2 0] watchdog 5 laser_fov 360)\n"
    "driver (name \"vfh\" provides [\"position2d:1\"] requires [\"position2d:0\" \"laser:0\"]"
    "  max_speed 0.5 max_acceleration 0.4 distance_epsilon 0.2 command_timeout %g)\n";

struct bench {
    struct rig *rig;
    struct ear *robot, *laser, *bumper;
    double time;
};

static struct drawing world;

static struct bench begin(double x, double command_timeout)
{
    struct bench b = {.rig = rig_create(true)};
    char text[1024];

    snprintf(text, sizeof(text), config, world.path, x, command_timeout);
    REQUIRE_OK(rig_load(b.rig, text));
    REQUIRE_OK(ach_robot_start(rig_robot(b.rig)));
    b.robot = ear_open(b.rig, "position2d:1");
    b.laser = ear_open(b.rig, "laser:0");
    b.bumper = ear_open(b.rig, "bumper:0");
    return b;
}

/* Check that no bumper was pressed at any time. */
static void end(struct bench *b)
{
    ach_message_t *m;
    uint32_t i;

    while ((m = ach_queue_pop(ear_queue(b->bumper)))) {
        const ach_bumper_data_t *d = ach_message_body(m);

        for (i = 0; ach_message_is(m, NULL, ACH_MSG_DATA, ACH_BUMPER_DATA_STATE) && d &&
                    i < d->bumpers_count;
             i++)
            CHECK(!d->bumpers[i]);
        ach_message_unref(m);
    }
    ear_close(b->robot);
    ear_close(b->laser);
    ear_close(b->bumper);
    rig_end(b->rig);
}

/* Advance the clock by @seconds, and return the robot's last data. */
static ach_position2d_data_t after(struct bench *b, double seconds)
{
    double until = b->time + seconds;
    ach_position2d_data_t d = {0};
    ach_message_t *m;

    while (b->time < until - 1e-9) {
        b->time += 0.05;
        REQUIRE_OK(ach_robot_set_time(rig_robot(b->rig), b->time + 1e-6));
        m = ear_data(b->robot, ACH_POSITION2D_DATA_STATE);
        REQUIRE(m);
        d = *(const ach_position2d_data_t *)ach_message_body(m);
        ach_message_unref(m);
    }
    return d;
}

static void vel(struct bench *b, double v)
{
    ach_position2d_cmd_vel_t cmd = {.vel = {.px = v}, .state = 1};

    REQUIRE_OK(ear_command(b->robot, ACH_POSITION2D_CMD_VEL, &cmd));
}

/* The wall's face is 2.5 m away, and the robot drives at full speed. */
static void into_the_wall(void)
{
    struct bench b = begin(1.5, 1000);
    ach_position2d_data_t d;

    after(&b, 0.5);
    vel(&b, 0.6);
    d = after(&b, 3);
    CHECK(d.vel.px > 0.5);
    d = after(&b, 12);
    CHECK(fabs(d.vel.px) < 0.02 && d.stall == 0);
    CHECK(d.pos.px > 1.8 && d.pos.px < 2.3); /* the wall's face is at 2.5, the radius 0.2 */
    vel(&b, -0.3);
    d = after(&b, 1);
    CHECK(d.vel.px < -0.2);
    end(&b);
}

static void silent_client(void)
{
    struct bench b = begin(1.5, 0.5);

    after(&b, 0.5);
    vel(&b, 0.2);
    CHECK(after(&b, 0.45).vel.px > 0.1);
    CHECK(fabs(after(&b, 2).vel.px) < 1e-6);
    end(&b);
}

static void blind(void)
{
    struct bench b = begin(1, 1000);
    ach_position2d_cmd_pos_t cmd = {.pos = {2.2, 0, 0}, .state = 1};

    after(&b, 0.5);
    REQUIRE_OK(ear_command(b.robot, ACH_POSITION2D_CMD_POS, &cmd));
    CHECK(after(&b, 1.5).vel.px > 0.1);
    CHECK(ear_acked(b.laser, ACH_LASER_REQ_POWER, &(ach_laser_power_config_t){0}));
    CHECK(fabs(after(&b, 2).vel.px) < 1e-6);
    CHECK(rig_logged(b.rig, "no scan for 0.5 s"));
    CHECK(ear_acked(b.laser, ACH_LASER_REQ_POWER, &(ach_laser_power_config_t){1}));
    CHECK(after(&b, 12).pos.px > 1.9); /* it continues */
    end(&b);
}

/* A robot in a box of 60 cm cannot drive anywhere, and stays where it is. */
static void boxed_in(void)
{
    struct bench b = begin(5, 1000);
    ach_position2d_cmd_pos_t cmd = {.pos = {-3, 0, 0}, .state = 1};
    ach_position2d_data_t d;

    REQUIRE_OK(ear_command(b.robot, ACH_POSITION2D_CMD_POS, &cmd));
    d = after(&b, 20);
    CHECK(hypot(d.pos.px, d.pos.py) < 0.08 && d.stall == 0);
    end(&b);
}

static void requests(void)
{
    struct bench b = begin(1, 1000);
    ach_message_t *m = ear_request(b.robot, ACH_POSITION2D_REQ_GET_GEOM, NULL);
    const ach_position2d_geom_t *g = ach_message_body(m);

    REQUIRE(g);
    CHECK(fabs(g->size.sl - 0.4) < 1e-9);
    ach_message_unref(m);
    CHECK(ear_acked(b.robot, ACH_POSITION2D_REQ_SET_ODOM,
                    &(ach_position2d_set_odom_req_t){.pose = {5, 6, 0}}));
    CHECK(fabs(after(&b, 0.3).pos.px - 5) < 1e-6);
    CHECK(!ear_acked(b.robot, ACH_POSITION2D_REQ_SPEED_PID, NULL));
    end(&b);
}

/* A base that cannot move. */
static ach_address_t stuck_address;
static _Atomic(double) stuck_speed, stuck_turn; /* the last command */

static ach_status_t stuck_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    (void)options;
    (void)state;
    return ach_driver_provide(driver, ACH_POSITION2D_CODE, NULL, &stuck_address);
}

static ach_status_t stuck_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    const ach_position2d_cmd_vel_t *cmd = ach_message_body(message);

    (void)driver;
    (void)state;
    if (!ach_message_is(message, NULL, ACH_MSG_CMD, ACH_POSITION2D_CMD_VEL) || !cmd)
        return ACH_ENOTSUP;
    stuck_speed = cmd->vel.px;
    stuck_turn = cmd->vel.pa;
    return ACH_OK;
}

static void stuck_main(ach_driver_t *driver, void *state)
{
    ach_position2d_data_t data = {.stall = 1};

    (void)state;
    while (ach_driver_wait(driver, 0.02))
        ach_driver_publish(driver, &stuck_address, ACH_POSITION2D_DATA_STATE, &data);
}

static const ach_driver_class_t stuck_class = {
    .version = ACH_DRIVER_VERSION,
    .name = "stuck",
    .create = stuck_create,
    .process = stuck_process,
    .main = stuck_main,
};

/* A robot that is stuck drives backwards, and turns to one side and to the other. */
static void escapes(void)
{
    ach_position2d_cmd_pos_t cmd = {.pos = {3, 0, 0}, .state = 1};
    struct rig *rig = rig_create(false);
    struct ear *robot;

    rig_add(rig, &stuck_class);
    REQUIRE_OK(rig_load(rig, "unit_angle \"radians\"\n"
                             "driver (name \"stuck\" provides [\"position2d:0\"])\n"
                             "driver (name \"dummy\" provides [\"laser:0\"] rate 50)\n"
                             "driver (name \"vfh\" provides [\"position2d:1\"]\n"
                             "        requires [\"position2d:0\" \"laser:0\"] robot_radius 0.2\n"
                             "        data_timeout 100 synchronous 1 escape_speed 0.25\n"
                             "        escape_time 0.3 escape_max_turnrate 0.5)"));
    CHECK(rig_count(rig, "synchronous") == 0);
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    robot = ear_open(rig, "position2d:1");
    REQUIRE_OK(ear_command(robot, ACH_POSITION2D_CMD_POS, &cmd));
    EVENTUALLY(stuck_speed == -0.25 && stuck_turn == 0.5);
    EVENTUALLY(stuck_speed == -0.25 && stuck_turn == -0.5);
    EVENTUALLY(stuck_speed == -0.25 && stuck_turn == 0.5);
    ear_close(robot);
    rig_end(rig);
}

int main(void)
{
    world = draw_room(6, 4, 0.05);
    draw_wall(&world, 4, 0, 4.2, 4);
    draw_wall(&world, 4.6, 1.6, 5.4, 1.7);
    draw_wall(&world, 4.6, 2.3, 5.4, 2.4);
    draw_wall(&world, 4.6, 1.6, 4.7, 2.4);
    draw_wall(&world, 5.3, 1.6, 5.4, 2.4);
    draw_save(&world);
    into_the_wall();
    silent_client();
    blind();
    boxed_in();
    requests();
    draw_end(&world);
    escapes();
    return check_result();
}
