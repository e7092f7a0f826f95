/* SPDX-License-Identifier: BSD-3-Clause */
/* rover.c - a robot on wheels with real physics: it drives, sees the wall, and runs into it */
#include <ach/interfaces.h>
#include <math.h>

#include "bench.h"

#define WORLD                                                                                      \
    "physics (name \"rover\" engine \"ode\" model \"diffdrive\" room [6 6] step 0.001)\n"          \
    "driver (name \"sim_base\" provides [\"position2d:0\"] body \"base\" left \"left\" "           \
    "right \"right\" radius 0.08 track 0.34 rate 50)\n"                                            \
    "driver (name \"sim_ranger\" provides [\"ranger:0\"] body \"base\" pose [0 0 0.2 0 0 0] "      \
    "max_range 8 rate 50)\n"                                                                       \
    "driver (name \"sim_imu\" provides [\"imu:0\"] body \"base\" rate 50)\n"

/* The newest message. Older ones are dropped. */
static ach_message_t *newest(struct ear *e)
{
    ach_message_t *m = NULL, *next;

    while ((next = ear_next(e))) {
        ach_message_unref(m);
        m = next;
    }
    REQUIRE(m);
    return m;
}

static void go(struct ear *base, double ahead, double turn)
{
    CHECK_OK(
        ear_command(base, ACH_POSITION2D_CMD_VEL,
                    &(ach_position2d_cmd_vel_t){.vel = {.px = ahead, .pa = turn}, .state = 1}));
}

static ach_position2d_data_t where(struct ear *base)
{
    ach_message_t *m = newest(base);
    const ach_position2d_data_t *body = ach_message_body(m);
    ach_position2d_data_t data;

    REQUIRE(body);
    data = *body;
    ach_message_unref(m);
    return data;
}

/* The ray straight ahead. */
static double range(struct ear *ranger)
{
    ach_message_t *m = newest(ranger);
    const ach_ranger_data_range_t *scan = ach_message_body(m);
    double range;

    REQUIRE(scan && scan->ranges_count == 181);
    range = scan->ranges[90];
    ach_message_unref(m);
    return range;
}

static ach_imu_data_euler_t felt(struct ear *imu)
{
    ach_message_t *m = newest(imu);
    const ach_imu_data_euler_t *body = ach_message_body(m);
    ach_imu_data_euler_t data;

    REQUIRE(body);
    data = *body;
    ach_message_unref(m);
    return data;
}

int main(void)
{
    const char *engines = getenv("ENGINES");
    struct ear *base, *ranger, *imu;
    ach_position2d_data_t at;
    ach_imu_data_euler_t f;
    struct bench *b;
    double far;

    if (!engines || !strstr(engines, "ode"))
        check_skip("this build has no engine ode: its library was not there");
    b = bench_start(WORLD, 1);
    base = ear_open(b, "position2d:0");
    ranger = ear_open(b, "ranger:0");
    imu = ear_open(b, "imu:0");
    bench_run(b, 500 * MS);
    at = where(base);
    far = range(ranger);
    f = felt(imu);
    CHECK(fabs(far - (3 - at.pos.px)) < 0.02);
    CHECK(fabsf(f.calib_data.accel_z - 9.81f) < 0.2f && fabsf(f.calib_data.accel_x) < 0.2f);
    go(base, 0.5, 0);
    bench_run(b, 3000 * MS);
    at = where(base);
    CHECK(fabs(at.vel.px - 0.5) < 0.05 && fabs(at.vel.pa) < 0.05 && !at.stall);
    CHECK(fabs(range(ranger) + at.pos.px - far) < 0.05);
    go(base, 0, 0.5);
    bench_run(b, 4500 * MS);
    at = where(base);
    f = felt(imu);
    CHECK(fabs(at.vel.pa - 0.5) < 0.1 && at.pos.pa > 0.3);
    CHECK(fabs((double)f.calib_data.gyro_z - at.vel.pa) < 1e-5);
    CHECK(fabs(f.orientation.pyaw - at.pos.pa) < 1e-9);
    go(base, 0, -0.5);
    bench_run(b, 6000 * MS);
    go(base, 0.5, 0);
    bench_run(b, 14000 * MS);
    at = where(base);
    CHECK(at.stall && fabs(at.vel.px) < 0.05);
    CHECK(fabs(range(ranger) - 0.2) < 0.05);
    ear_close(base);
    ear_close(ranger);
    ear_close(imu);
    bench_end(b);
    return check_result();
}
