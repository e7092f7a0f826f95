/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vfh-drive.c - a simulated robot goes from goal to goal among obstacles and
 * through a corridor, touches nothing, and does the same each time
 */
#include <math.h>

#include "../simrobot/draw.h"
#include "mission.h"
#include "rig.h"

static struct drawing world(void)
{
    struct drawing d = draw_room(20, 12, 0.05);

    /* Two rooms and a corridor between them. */
    draw_wall(&d, 8, 0, 8.2, 5);
    draw_wall(&d, 8, 6.4, 8.2, 12);
    draw_wall(&d, 8, 4.8, 13, 5);
    draw_wall(&d, 8, 6.4, 13, 6.6);
    draw_wall(&d, 12.8, 0, 13, 5);
    draw_wall(&d, 12.8, 6.4, 13, 12);
    /* Boxes and posts. */
    draw_wall(&d, 3, 4, 4, 5);
    draw_wall(&d, 5.5, 6.5, 6, 7.5);
    draw_wall(&d, 1.8, 7, 2, 7.2);
    draw_wall(&d, 15, 5, 15.6, 7);
    draw_wall(&d, 16.5, 2.5, 17, 3);
    draw_wall(&d, 17, 8, 17.1, 8.1);
    draw_save(&d);
    return d;
}

static const char config[] = "driver (\n"
                             "  name \"simrobot\"\n"
                             "  provides [\"position2d:0\" \"%s:0\" \"bumper:0\"\n"
                             "    \"simulation:0\"]\n"
                             "  bitmap \"%s\" resolution 0.05 pose [2 2 90]\n"
                             "  laser_fov 270 laser_range 6 laser_noise 0.01 seed %d\n"
                             "  drive_clock true paused true\n"
                             ")\n"
                             "driver (\n"
                             "  name \"vfh\"\n"
                             "  provides [\"position2d:1\"]\n"
                             "  requires [\"position2d:0\" \"%s:0\"]\n"
                             "  max_speed 0.5 max_acceleration 0.4 distance_epsilon 0.2\n"
                             "  max_turnrate_0ms 60 max_turnrate_1ms 40\n"
                             ")\n"
                             "driver (\n"
                             "  name \"mission\" alwayson true\n"
                             "  provides [\"opaque:0\"]\n"
                             "  requires [\"position2d:1\" \"bumper:0\" \"simulation:0\"]\n"
                             ")\n";

/* A goal in the odometry's frame: the robot starts at (2, 2) and faces along y. */
static ach_pose2d_t goal(double x, double y)
{
    return (ach_pose2d_t){.px = y - 2, .py = 2 - x, .pa = 0};
}

static struct mission drive(const struct drawing *d, const char *scanner, int seed)
{
    struct rig *rig = rig_create(true);
    double limit = rig_now() + 140;
    char text[2048];

    /* An obstacle is on the straight line to nearly all goals. */
    mission = (struct mission){.goals = {goal(4.6, 7), goal(7, 7), goal(10.5, 5.7), goal(14, 6),
                                         goal(17, 6), goal(16.75, 1.5), goal(17, 10.5), goal(14, 6),
                                         goal(7, 5.7), goal(1.9, 5.5), goal(1.9, 9.5)},
                               .count = 11,
                               .near = 0.25,
                               .patience = 120};
    snprintf(text, sizeof(text), config, scanner, d->path, seed, scanner);
    rig_add(rig, &mission_class);
    REQUIRE_OK(rig_load(rig, text));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    while (!__atomic_load_n(&mission.done, __ATOMIC_ACQUIRE) && rig_now() < limit)
        check_sleep_ms(10);
    CHECK(mission.done);
    rig_end(rig);
    printf("%s, seed %d: %d of %d goals, %.1f m in %.1f s, %u contacts, %u stalls, %016llx\n",
           scanner, seed, mission.reached, mission.count, mission.way, mission.ended,
           mission.contacts, mission.stalls, (unsigned long long)mission.signature);
    CHECK(mission.reached == mission.count);
    CHECK(mission.contacts == 0 && mission.stalls == 0);
    CHECK(mission.way > 35);
    return mission;
}

int main(void)
{
    struct drawing d = world();
    struct mission one = drive(&d, "laser", 1), again = drive(&d, "laser", 1);
    struct mission other = drive(&d, "laser", 7);

    CHECK(one.signature == again.signature && one.ended == again.ended);
    CHECK(one.signature != other.signature);
    drive(&d, "ranger", 1);
    draw_end(&d);
    return check_result();
}
