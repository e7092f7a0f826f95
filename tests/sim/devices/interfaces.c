/* SPDX-License-Identifier: BSD-3-Clause */
/* interfaces.c - each simulated device, as a client sees it through channels */
#include <ach/interfaces.h>
#include <math.h>

#include "host.h"

#define TOY "physics (name \"cart\" engine \"toy\" plugin \"toy\" step 0.001)\n"
#define ARM "physics (name \"arm\" engine \"pendulum\" step 0.001 angle 90)\n"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static bool acked(ach_device_t *d, uint8_t subtype, const void *body)
{
    return ach_device_request(d, subtype, body, PATIENCE, NULL) == ACH_OK;
}

/* The answer's struct lasts until the message is released. */
static const void *ask(ach_device_t *d, uint8_t subtype, const void *body, ach_message_t **m)
{
    REQUIRE_OK(ach_device_request(d, subtype, body, PATIENCE, m));
    return ach_message_body(*m);
}

static ach_position2d_data_t odometry(ach_device_t *d, double time)
{
    ach_message_t *m = host_data(d, ACH_POSITION2D_DATA_STATE, time);
    const ach_position2d_data_t *body = ach_message_body(m);
    ach_position2d_data_t data;

    REQUIRE(body);
    data = *body;
    ach_message_unref(m);
    return data;
}

static ach_status_t drive(ach_device_t *d, double ahead, double turn)
{
    return ach_device_command(
        d, ACH_POSITION2D_CMD_VEL,
        &(ach_position2d_cmd_vel_t){.vel = {.px = ahead, .pa = turn}, .state = 1});
}

static void base(void)
{
    struct host *h = host_start(
        TOY "driver (name \"sim_base\" provides [\"position2d:0\"] rate 100 left \"left\" "
            "right [\"right\"] radius 0.1 track 0.5 size [0.6 0.5 0.25])");
    ach_device_t *d = host_open("position2d:0");
    const ach_position2d_geom_t *geom;
    ach_position2d_data_t at;
    ach_message_t *m;

    host_run(h, 100 * MS);
    CHECK_OK(drive(d, 1, 0));
    host_run(h, 1100 * MS);
    at = odometry(d, 1.1);
    CHECK(near(at.pos.px, 1) && near(at.pos.py, 0) && near(at.vel.px, 1) && !at.stall);
    CHECK_OK(drive(d, 0, M_PI / 2));
    host_run(h, 2100 * MS);
    at = odometry(d, 2.1);
    CHECK(near(at.pos.pa, M_PI / 2) && near(at.vel.px, 0) && near(at.vel.pa, M_PI / 2));
    CHECK_OK(drive(d, 1, 0));
    host_run(h, 3100 * MS);
    at = odometry(d, 3.1);
    CHECK(near(at.pos.px, 1) && near(at.pos.py, 1) && near(at.vel.px, 1) && near(at.vel.py, 0));
    CHECK(acked(d, ACH_POSITION2D_REQ_RESET_ODOM, NULL));
    host_run(h, 4100 * MS);
    at = odometry(d, 4.1);
    CHECK(near(at.pos.px, 1) && near(at.pos.py, 0) && near(at.pos.pa, 0));
    CHECK(acked(d, ACH_POSITION2D_REQ_SET_ODOM,
                &(ach_position2d_set_odom_req_t){{.px = 5, .py = 6, .pa = M_PI}}));
    host_run(h, 5100 * MS);
    at = odometry(d, 5.1);
    CHECK(near(at.pos.px, 4) && near(at.pos.py, 6) && near(fabs(at.pos.pa), M_PI));
    CHECK(acked(d, ACH_POSITION2D_REQ_MOTOR_POWER, &(ach_position2d_power_config_t){0}));
    CHECK_OK(drive(d, 1, 0));
    host_run(h, 6100 * MS);
    CHECK(near(odometry(d, 6.1).pos.px, 4));
    CHECK(acked(d, ACH_POSITION2D_REQ_MOTOR_POWER, &(ach_position2d_power_config_t){1}));
    CHECK_OK(drive(d, 0, -M_PI / 2));
    host_run(h, 7100 * MS);
    CHECK_OK(drive(d, 1, 0));
    host_run(h, 12100 * MS);
    CHECK(odometry(d, 12.1).stall == 1);
    geom = ask(d, ACH_POSITION2D_REQ_GET_GEOM, NULL, &m);
    REQUIRE(geom);
    CHECK(geom->size.sl == 0.6 && geom->size.sw == 0.5 && geom->size.sh == 0.25);
    ach_message_unref(m);
    CHECK(!acked(d, ACH_POSITION2D_REQ_SPEED_PROF, &(ach_position2d_speed_prof_req_t){1, 1}));
    ach_device_close(d);
    host_end(h);
}

static void pose(void)
{
    struct host *h = host_start(ARM "driver (name \"sim_pose\" provides [\"position3d:0\"])\n"
                                    "driver (name \"sim_imu\" provides [\"imu:0\"])");
    ach_device_t *p = host_open("position3d:0"), *u = host_open("imu:0");
    ach_message_t *m, *n;
    const ach_position3d_data_t *at;
    const ach_imu_data_euler_t *felt;

    host_run(h, 0);
    m = host_data(p, ACH_POSITION3D_DATA_STATE, 0);
    at = ach_message_body(m);
    REQUIRE(at);
    CHECK(near(at->pos.px, 1) && near(at->pos.pz, 0) && near(at->pos.ppitch, -M_PI / 2));
    ach_message_unref(m);
    host_run(h, 100 * MS);
    m = host_data(p, ACH_POSITION3D_DATA_STATE, 0.1);
    n = host_data(u, ACH_IMU_DATA_EULER, 0.1);
    at = ach_message_body(m);
    felt = ach_message_body(n);
    REQUIRE(at && felt);
    CHECK(at->vel.pz < -0.5 && near(at->vel.ppitch, (double)felt->calib_data.gyro_y));
    CHECK(near(at->pos.ppitch, felt->orientation.ppitch));
    ach_message_unref(m);
    ach_message_unref(n);
    ach_device_close(p);
    ach_device_close(u);
    host_end(h);
}

static ach_imu_data_calib_t felt_at_rest(double angle, const char *more)
{
    char config[500];
    struct host *h;
    ach_device_t *u;
    ach_message_t *m;
    const ach_imu_data_calib_t *body;
    ach_imu_data_calib_t felt;

    snprintf(config, sizeof(config),
             "unit_angle \"radians\"\n"
             "physics (name \"arm\" engine \"pendulum\" angle %.17g gravity 9.81)\n"
             "driver (name \"sim_imu\" provides [\"imu:0\"] data \"calib\" %s)",
             angle, more);
    h = host_start(config);
    u = host_open("imu:0");
    host_run(h, 10 * MS);
    m = host_data(u, ACH_IMU_DATA_CALIB, 0.01);
    body = ach_message_body(m);
    REQUIRE(body);
    felt = *body;
    ach_message_unref(m);
    CHECK(acked(u, ACH_IMU_REQ_SET_DATATYPE, &(ach_imu_datatype_config_t){ACH_IMU_DATA_QUAT}));
    CHECK(!acked(u, ACH_IMU_REQ_SET_DATATYPE, &(ach_imu_datatype_config_t){99}));
    host_run(h, 20 * MS);
    ach_message_unref(host_data(u, ACH_IMU_DATA_QUAT, 0.02));
    ach_device_close(u);
    host_end(h);
    return felt;
}

/* A pendulum at rest measures the force that holds it. Released sideways, it first falls freely. */
static void imu(void)
{
    ach_imu_data_calib_t hangs = felt_at_rest(0, "");
    ach_imu_data_calib_t rolled = felt_at_rest(0, "orientation [1.5707963267948966 0 0]");
    ach_imu_data_calib_t falls = felt_at_rest(M_PI / 2, "");

    CHECK(fabsf(hangs.accel_z - 9.81f) < 1e-5f && fabsf(hangs.accel_x) < 1e-5f);
    CHECK(fabsf(rolled.accel_y - 9.81f) < 1e-5f && fabsf(rolled.accel_z) < 1e-5f);
    CHECK(fabsf(falls.accel_x) < 0.02f && fabsf(falls.accel_z) < 0.2f);
    CHECK(fabsf(falls.gyro_y - 0.0981f) < 1e-3f && hangs.magn_x == 1);
}

static void ranger(void)
{
    struct host *h =
        host_start("unit_angle \"radians\"\n" TOY
                   "driver (name \"sim_ranger\" provides [\"ranger:0\"] pose [1 0 0 0 0 0] "
                   "min_angle -1 max_angle 1 resolution 0.5 max_range 5 rate 10)\n"
                   "driver (name \"sim_world\" provides [\"simulation:0\"])");
    ach_device_t *d = host_open("ranger:0"), *w = host_open("simulation:0");
    char cart[] = "cart";
    ach_simulation_pose2d_req_t to = {
        .name_count = sizeof(cart), .name = cart, .pose = {.px = 1, .py = 2, .pa = 0.5}};
    ach_message_t *m;
    const ach_ranger_data_range_t *scan;
    const ach_ranger_config_t *config;
    const ach_ranger_geom_t *geom;
    ach_ranger_config_t other = {
        .min_angle = -0.5, .max_angle = 0.5, .angular_res = 0.5, .max_range = 1.5, .frequency = 20};

    host_run(h, 100 * MS);
    m = host_data(d, ACH_RANGER_DATA_RANGE, 0.1);
    scan = ach_message_body(m);
    REQUIRE(scan && scan->ranges_count == 5);
    CHECK(near(scan->ranges[2], 3) && near(scan->ranges[3], 3 / cos(0.5)));
    CHECK(scan->ranges[0] == 5 && scan->ranges[4] == 5);
    ach_message_unref(m);
    CHECK(acked(w, ACH_SIMULATION_REQ_SET_POSE2D, &to));
    host_run(h, 110 * MS);
    geom = ask(d, ACH_RANGER_REQ_GET_GEOM, NULL, &m);
    REQUIRE(geom);
    CHECK(geom->pose.px == 1 && geom->element_poses_count == 1);
    ach_message_unref(m);
    config = ask(d, ACH_RANGER_REQ_GET_CONFIG, NULL, &m);
    REQUIRE(config);
    CHECK(config->frequency == 10 && config->max_range == 5 && config->angular_res == 0.5);
    ach_message_unref(m);
    host_run(h, 200 * MS);
    m = host_data(d, ACH_RANGER_DATA_RANGE, 0.2);
    scan = ach_message_body(m);
    REQUIRE(scan && scan->ranges_count == 5);
    CHECK(near(scan->ranges[1], 3 - cos(0.5)) && near(scan->ranges[2], 3 / cos(0.5) - 1));
    ach_message_unref(m);
    CHECK(acked(d, ACH_RANGER_REQ_SET_CONFIG, &other));
    host_run(h, 250 * MS);
    m = host_data(d, ACH_RANGER_DATA_RANGE, 0.25);
    scan = ach_message_body(m);
    REQUIRE(scan && scan->ranges_count == 3);
    CHECK(scan->ranges[1] == 1.5);
    ach_message_unref(m);
    other.angular_res = 0;
    CHECK(!acked(d, ACH_RANGER_REQ_SET_CONFIG, &other));
    CHECK(acked(d, ACH_RANGER_REQ_POWER, &(ach_ranger_power_config_t){0}));
    host_run(h, 1000 * MS);
    CHECK_STATUS(ach_device_get(d, ACH_RANGER_DATA_RANGE, 0, ACH_O_LAST, &m), ACH_STALE_FRAMES);
    CHECK(acked(d, ACH_RANGER_REQ_POWER, &(ach_ranger_power_config_t){1}));
    host_run(h, 1050 * MS);
    ach_message_unref(host_data(d, ACH_RANGER_DATA_RANGE, 1.05));
    ach_device_close(w);
    ach_device_close(d);
    host_end(h);
}

static ach_simulation_pose3d_req_t where(ach_device_t *d, const char *name)
{
    char text[64];
    ach_simulation_pose3d_req_t q = {.name_count = (uint32_t)strlen(name) + 1, .name = text};
    const ach_simulation_pose3d_req_t *a;
    ach_message_t *m;

    strcpy(text, name);
    a = ask(d, ACH_SIMULATION_REQ_GET_POSE3D, &q, &m);
    REQUIRE(a);
    q = *a;
    q.name = NULL;
    ach_message_unref(m);
    return q;
}

static bool property(ach_device_t *d, const char *model, const char *prop, char value[64])
{
    char name[64], what[64];
    ach_simulation_property_req_t q = {.name_count = (uint32_t)strlen(model) + 1,
                                       .name = name,
                                       .prop_count = (uint32_t)strlen(prop) + 1,
                                       .prop = what};
    const ach_simulation_property_req_t *a;
    ach_message_t *m = NULL;
    ach_status_t status;

    strcpy(name, model);
    strcpy(what, prop);
    status = ach_device_request(d, ACH_SIMULATION_REQ_GET_PROPERTY, &q, PATIENCE, &m);
    a = status == ACH_OK ? ach_message_body(m) : NULL;
    if (a)
        snprintf(value, 64, "%.*s", (int)a->value_count, a->value);
    ach_message_unref(m);
    return a;
}

static void world(void)
{
    struct host *h = host_start(TOY ARM "driver (name \"sim_world\" provides [\"simulation:0\"] "
                                        "physics \"cart\")\n"
                                        "driver (name \"sim_world\" provides [\"simulation:1\"])");
    ach_device_t *d = host_open("simulation:0"), *all = host_open("simulation:1");
    char cart[] = "cart", bob[] = "arm:bob", nobody[] = "nobody", value[64];
    ach_simulation_pose3d_req_t at;
    ach_simulation_pose2d_req_t to = {
        .name_count = sizeof(cart), .name = cart, .pose = {.px = 2, .py = 3, .pa = 0.5}};

    host_run(h, 1234567890);
    CHECK(acked(d, ACH_SIMULATION_REQ_SET_POSE2D, &to));
    at = where(d, "cart");
    CHECK(near(at.pose.px, 2) && near(at.pose.py, 3) && near(at.pose.pyaw, 0.5));
    CHECK(near(at.pose.pz, 0.25) && at.simtime == 1.23456789);
    CHECK(near(where(all, "cart:cart").pose.px, 2) && fabs(where(all, bob).pose.pz) < 1.1);
    to.name_count = sizeof(nobody);
    to.name = nobody;
    CHECK(!acked(d, ACH_SIMULATION_REQ_GET_POSE2D, &to));
    to.name_count = sizeof(bob);
    to.name = bob;
    CHECK(acked(d, ACH_SIMULATION_REQ_GET_POSE2D, &to));
    CHECK(!acked(d, ACH_SIMULATION_REQ_SET_POSE2D, &to)); /* a pendulum cannot be moved */
    to = (ach_simulation_pose2d_req_t){
        .name_count = sizeof(cart), .name = cart, .pose = {.px = (double)NAN}};
    CHECK(!acked(d, ACH_SIMULATION_REQ_SET_POSE2D, &to));
    CHECK(property(all, "", "time", value) && strcmp(value, "1.234567890") == 0);
    CHECK(property(all, "arm", "energy", value) && fabs(strtod(value, NULL)) < 1e-6);
    CHECK(!property(d, "", "energy", value) && !property(d, "", "colour", value));
    ach_device_close(d);
    ach_device_close(all);
    host_end(h);
}

/* A torque commanded by the client shows in the data that it gets. */
static void joints(void)
{
    struct host *h = host_start("physics (name \"arm\" engine \"pendulum\")\n"
                                "driver (name \"sim_joints\" provides [\"actarray:0\"] rate 1000)");
    ach_device_t *d = host_open("actarray:0");
    const ach_actarray_data_t *data;
    ach_message_t *m;

    host_run(h, 5500000);
    CHECK_OK(ach_device_command(d, ACH_ACTARRAY_CMD_CURRENT,
                                &(ach_actarray_current_cmd_t){.current = 2}));
    host_run(h, 6 * MS);
    m = host_data(d, ACH_ACTARRAY_DATA_STATE, 0.006);
    data = ach_message_body(m);
    REQUIRE(data && data->actuators_count == 1);
    CHECK(data->actuators[0].current == 2 && data->motor_state == 1);
    CHECK(fabsf(data->actuators[0].speed / data->actuators[0].acceleration - 0.0005f) < 1e-6f);
    ach_message_unref(m);
    ach_device_close(d);
    host_end(h);
}

/* An engine that fails ends the simulation, also if the failure occurred during a command. */
static void broken(void)
{
    struct bench *b =
        bench_start("physics (name \"cart\" engine \"toy\" plugin \"toy\" break_at 0.105)\n"
                    "driver (name \"sim_joints\" provides [\"actarray:0\"] rate 10)",
                    1);
    struct ear *e = ear_open(b, "actarray:0");

    bench_run(b, 100 * MS);
    CHECK_OK(simd_world_run(b->world, 110 * MS));
    ear_command(e, ACH_ACTARRAY_CMD_CURRENT, &(ach_actarray_current_cmd_t){.current = 2});
    CHECK_STATUS(simd_world_run(b->world, 111 * MS), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "the toy is broken"));
    ear_close(e);
    bench_end(b);
}

int main(void)
{
    base();
    pose();
    imu();
    ranger();
    world();
    joints();
    broken();
    return check_result();
}
