/* SPDX-License-Identifier: BSD-3-Clause */
/* simrobot-sensors.c - sensors and map of the simulated robot, and its simulation device */
#include <ach/interfaces.h>
#include <math.h>

#include "draw.h"
#include "rig.h"

static struct drawing world;

/* The robot is 1.9 m from the left wall's face and 2 m from the wall in the middle. */
static struct rig *begin(const char *options, bool paused)
{
    struct rig *rig = rig_create(true);
    char text[1024];

    snprintf(text, sizeof(text),
             "driver (name \"simrobot\" provides [\"laser:0\" \"ranger:0\" \"sonar:0\" \"map:0\""
             " \"simulation:0\" \"bumper:0\" \"position2d:0\"]"
             " bitmap \"%s\" pose [2 2 0] drive_clock true speed 5 paused %s %s)",
             world.path, paused ? "true" : "false", options);
    REQUIRE_OK(rig_load(rig, text));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    return rig;
}

static bool near(double a, double b, double by)
{
    if (!(fabs(a - b) <= by))
        fprintf(stderr, "%g is not %g\n", a, b);
    return fabs(a - b) <= by;
}

static ach_simulation_pose2d_req_t pose_of(const char *name, double x, double y, double a)
{
    return (ach_simulation_pose2d_req_t){.name_count = (uint32_t)strlen(name) + 1,
                                         .name = (char *)(uintptr_t)name,
                                         .pose = {x, y, a}};
}

static void laser(void)
{
    struct rig *rig = begin("laser_fov 180 laser_resolution 1 laser_range 5", false);
    struct ear *ear = ear_open(rig, "laser:0");
    ach_message_t *m = ear_data(ear, ACH_LASER_DATA_SCAN);
    const ach_laser_data_t *d = ach_message_body(m);
    ach_laser_config_t config = {
        .min_angle = -0.5f, .max_angle = 0.5f, .resolution = 0.25f, .max_range = 1};

    CHECK(d->ranges_count == 181 && near((double)d->max_range, 5, 1e-6));
    CHECK(near((double)d->ranges[90], 2, 1e-4));             /* ahead: the wall */
    CHECK(near((double)d->ranges[0], 1.9, 1e-4));            /* right */
    CHECK(near((double)d->ranges[135], 1.9 * sqrt(2), 0.1)); /* left ahead: the room's wall */
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_LASER_REQ_SET_CONFIG, &config));
    do {
        m = ear_data(ear, ACH_LASER_DATA_SCAN);
        REQUIRE(m);
        d = ach_message_body(m);
        if (d->ranges_count == 5)
            break;
        ach_message_unref(m);
    } while (true);
    CHECK(near((double)d->ranges[2], 1, 1e-6)); /* max_range */
    ach_message_unref(m);
    config.max_range = config.resolution = 0; /* as libplayerc leaves them: unchanged */
    CHECK(ear_acked(ear, ACH_LASER_REQ_SET_CONFIG, &config));
    m = ear_data(ear, ACH_LASER_DATA_SCAN);
    REQUIRE(m);
    d = ach_message_body(m);
    CHECK(d->ranges_count == 5 && near((double)d->max_range, 1, 1e-6));
    ach_message_unref(m);
    config.resolution = -0.1f;
    CHECK(!ear_acked(ear, ACH_LASER_REQ_SET_CONFIG, &config));
    config.resolution = 1e-9f;
    CHECK(!ear_acked(ear, ACH_LASER_REQ_SET_CONFIG, &config));
    CHECK(ear_acked(ear, ACH_LASER_REQ_GET_CONFIG, NULL) &&
          ear_acked(ear, ACH_LASER_REQ_GET_GEOM, NULL));
    ear_close(ear);
    rig_end(rig);
}

/* A sensor that is moved publishes its new pose. */
static void moved(void)
{
    struct rig *rig = begin("laser_range 5 sonars 8", false);
    struct ear *simulation = ear_open(rig, "simulation:0"), *scan = ear_open(rig, "laser:0");
    struct ear *ranger = ear_open(rig, "ranger:0"), *sonar = ear_open(rig, "sonar:0");
    ach_simulation_pose2d_req_t to = pose_of("laser", 0.5, 0, 0), ring = pose_of("sonar", 0, 0, 1);
    ach_message_t *m;

    ach_message_unref(ear_data(scan, ACH_LASER_DATA_SCAN));
    CHECK(ear_acked(simulation, ACH_SIMULATION_REQ_SET_POSE2D, &to));
    CHECK(ear_acked(simulation, ACH_SIMULATION_REQ_SET_POSE2D, &ring));
    m = ear_data(scan, ACH_LASER_DATA_SCANPOSE);
    REQUIRE(m);
    CHECK(near(((const ach_laser_data_scanpose_t *)ach_message_body(m))->pose.px, 2.5, 1e-9));
    ach_message_unref(m);
    m = ear_data(ranger, ACH_RANGER_DATA_GEOM);
    REQUIRE(m);
    CHECK(near(((const ach_ranger_geom_t *)ach_message_body(m))->pose.px, 0.5, 1e-9));
    ach_message_unref(m);
    m = ear_data(sonar, ACH_SONAR_DATA_GEOM);
    REQUIRE(m);
    CHECK(near(((const ach_sonar_geom_t *)ach_message_body(m))->poses[0].pyaw, 1, 1e-9));
    ach_message_unref(m);
    ear_close(simulation);
    ear_close(scan);
    ear_close(ranger);
    ear_close(sonar);
    rig_end(rig);
}

/* The geometry: the yaw of each sonar, in degrees. */
static void check_layout(const char *options, const double *yaws, size_t n)
{
    struct rig *rig = begin(options, false);
    struct ear *ear = ear_open(rig, "sonar:0");
    ach_message_t *m = ear_request(ear, ACH_SONAR_REQ_GET_GEOM, NULL);
    const ach_sonar_geom_t *geom = m ? ach_message_body(m) : NULL;
    size_t i;

    CHECK(geom && geom->poses_count == n);
    for (i = 0; geom && i < n && i < geom->poses_count; i++)
        CHECK(near(remainder(geom->poses[i].pyaw - yaws[i] * M_PI / 180, 2 * M_PI), 0, 1e-9));
    ach_message_unref(m);
    ear_close(ear);
    rig_end(rig);
}

static void layouts(void)
{
    static const double pioneer[] = {90,  50,   30,   10,   -10, -30, -50, -90,
                                     -90, -130, -150, -170, 170, 150, 130, 90};
    static const double ring[] = {0, 120, 240}, own[] = {10, -20};

    check_layout("", pioneer, 16);
    check_layout("sonars 3", ring, 3);
    check_layout("sonar_angles [10 -20]", own, 2);
}

static void sonar(void)
{
    struct rig *rig = begin("sonars 4 sonar_cone 2", false);
    struct ear *ear = ear_open(rig, "sonar:0");
    ach_message_t *m = ear_data(ear, ACH_SONAR_DATA_RANGES);
    const ach_sonar_data_t *d = ach_message_body(m);

    CHECK(d->ranges_count == 4);
    CHECK(near((double)d->ranges[0], 1.8, 1e-4) && near((double)d->ranges[1], 1.7, 1e-4) &&
          near((double)d->ranges[2], 1.7, 1e-4));
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_SONAR_REQ_GET_GEOM, NULL));
    ear_close(ear);
    rig_end(rig);
}

static void map(void)
{
    struct rig *rig = begin("origin [-1 -2] pose [1 0 0]", true);
    struct ear *ear = ear_open(rig, "map:0");
    ach_message_t *m = ear_request(ear, ACH_MAP_REQ_GET_INFO, NULL);
    const ach_map_info_t *info = ach_message_body(m);
    ach_map_data_t tile = {.col = 78, .row = 10, .width = 8, .height = 3};
    const ach_map_data_t *got;

    CHECK(info->width == 120 && info->height == 80 && near((double)info->scale, 0.05, 1e-9));
    CHECK(near(info->origin.px, -1, 1e-9) && near(info->origin.py, -2, 1e-9));
    ach_message_unref(m);
    m = ear_request(ear, ACH_MAP_REQ_GET_DATA, &tile);
    got = ach_message_body(m);
    REQUIRE(got && got->data_count == 24);
    CHECK(got->data_range == 1 && got->data[0] == -1 && got->data[2] == 1 && got->data[5] == 1 &&
          got->data[6] == -1 && got->data[8] == -1);
    ach_message_unref(m);
    tile.width = 1000;
    CHECK(!ear_acked(ear, ACH_MAP_REQ_GET_DATA, &tile));
    tile = (ach_map_data_t){.col = 4294967295u, .row = 1, .width = 2, .height = 1};
    CHECK(!ear_acked(ear, ACH_MAP_REQ_GET_DATA, &tile));
    CHECK(!ear_acked(ear, ACH_MAP_REQ_GET_DATA, NULL));
    ear_close(ear);
    rig_end(rig);
}

static void simulation(void)
{
    struct rig *rig = begin("", true);
    struct ear *ear = ear_open(rig, "simulation:0"), *robot = ear_open(rig, "position2d:0");
    ach_simulation_pose2d_req_t good = pose_of("robot", 1, 1, 1),
                                wall = pose_of("robot", 4.1, 2, 0);
    ach_simulation_pose2d_req_t none = pose_of("nobody", 1, 1, 1),
                                far = pose_of("robot", 1e300, NAN, 0);

    CHECK(ear_acked(ear, ACH_SIMULATION_REQ_SET_POSE2D, &good));
    CHECK(!ear_acked(ear, ACH_SIMULATION_REQ_SET_POSE2D, &wall));
    CHECK(!ear_acked(ear, ACH_SIMULATION_REQ_SET_POSE2D, &none));
    CHECK(!ear_acked(ear, ACH_SIMULATION_REQ_SET_POSE2D, &far));
    CHECK(!ear_acked(ear, ACH_SIMULATION_REQ_GET_POSE2D, &none));
    CHECK(!ear_acked(ear, ACH_SIMULATION_REQ_GET_POSE2D, NULL));
    CHECK(ear_next(robot, 0.1) == NULL); /* paused: nothing happens */
    CHECK(ach_robot_time(rig_robot(rig)) == 0);
    REQUIRE_OK(ear_command(ear, ACH_SIMULATION_CMD_PAUSE, NULL));
    ach_message_unref(ear_data(robot, ACH_POSITION2D_DATA_STATE));
    EVENTUALLY(ach_robot_time(rig_robot(rig)) > 1);
    REQUIRE_OK(ear_command(ear, ACH_SIMULATION_CMD_RESET, NULL));
    ear_close(ear);
    ear_close(robot);
    rig_end(rig);
}

static void refused(const char *options, const char *why)
{
    struct rig *rig = rig_create(true);
    char text[1024];

    snprintf(text, sizeof(text), "driver (name \"simrobot\" provides [\"laser:0\"] %s)", options);
    CHECK_STATUS(rig_load(rig, text), ACH_EINVAL);
    CHECK(rig_logged(rig, why));
    rig_end(rig);
}

static void bad_options(void)
{
    char text[256];

    refused("", "PGM or PNG image");
    refused("bitmap \"/nonexistent\"", "No such file");
    refused("bitmap \"/dev/null\"", "not a PGM or PNG image");
    snprintf(text, sizeof(text), "bitmap \"%s\" pose [4.1 2 0]", world.path);
    refused(text, "touches no wall");
    snprintf(text, sizeof(text), "bitmap \"%s\" pose [1 1 0] laser_resolution 0", world.path);
    refused(text, "10000 rays");
    snprintf(text, sizeof(text), "bitmap \"%s\" pose [1 1 0] step -1", world.path);
    refused(text, "0.0001 to 1 s");
}

int main(void)
{
    world = draw_room(6, 4, 0.05);
    draw_wall(&world, 4, 0, 4.2, 4);
    draw_save(&world);
    laser();
    moved();
    sonar();
    layouts();
    map();
    simulation();
    bad_options();
    draw_end(&world);
    return check_result();
}
