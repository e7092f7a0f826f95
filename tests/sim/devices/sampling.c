/* SPDX-License-Identifier: BSD-3-Clause */
/* sampling.c - sample times, latency, noise and quantisation of sensors */
#include <ach/interface/actarray.h>
#include <math.h>

#include "bench.h"

#define ARM "unit_angle \"radians\" physics (name \"arm\" engine \"pendulum\" step 0.001 angle 1)\n"
#define JOINTS "driver (name \"sim_joints\" provides [\"actarray:0\"] physics \"arm\" "

static const ach_actarray_actuator_t *actuator(const ach_message_t *m)
{
    const ach_actarray_data_t *d = ach_message_body(m);

    REQUIRE(d && d->actuators_count == 1);
    return d->actuators;
}

static double time_of(const ach_message_t *m)
{
    return ach_message_header(m)->timestamp;
}

/* Sample k is taken and published at k/rate, to the nanosecond. */
static void exact(const char *rate, double hertz)
{
    char config[500];
    struct bench *b;
    struct ear *e;
    ach_message_t *m;
    unsigned k;

    snprintf(config, sizeof(config), ARM JOINTS "rate %s)", rate);
    b = bench_start(config, 1);
    CHECK(simd_world_next(b->world) == INT64_MAX);
    e = ear_open(b, "actarray:0");
    for (k = 0; k < 50; k++) {
        int64_t t = llround((double)k * 1e9 / hertz);

        CHECK(simd_world_next(b->world) == t);
        bench_run(b, t);
        m = ear_next(e);
        REQUIRE(m);
        CHECK(time_of(m) == (double)t / 1e9);
        ach_message_unref(m);
        CHECK(!ear_next(e));
    }
    ear_close(e);
    CHECK(simd_world_next(b->world) == INT64_MAX);
    bench_end(b);
}

/* A late subscriber gets samples at the same multiples of the period, and none twice. */
static void late(void)
{
    struct bench *b = bench_start(ARM JOINTS "rate 100)", 1);
    struct ear *e;
    ach_message_t *m;

    bench_run(b, 25 * MS);
    e = ear_open(b, "actarray:0");
    CHECK(simd_world_next(b->world) == 30 * MS);
    bench_run(b, 30 * MS);
    m = ear_next(e);
    REQUIRE(m);
    CHECK(time_of(m) == 0.03);
    ach_message_unref(m);
    ear_close(e);
    e = ear_open(b, "actarray:0");
    CHECK(simd_world_next(b->world) == 40 * MS);
    ear_close(e);
    CHECK_STATUS(simd_world_run(b->world, 29 * MS), ACH_EINVAL);
    bench_end(b);
}

static bool same_body(const ach_message_t *a, const ach_message_t *b)
{
    size_t n, size;
    const void *x = ach_message_bytes(a, &n), *y = ach_message_bytes(b, &size);

    return n == size && memcmp(x, y, n) == 0;
}

/* A sample taken at t is published unchanged at t + latency, with time stamp t. */
static void latency(void)
{
    struct bench *b =
        bench_start(ARM JOINTS "rate 100)\n"
                               "driver (name \"sim_joints\" provides [\"actarray:1\"] "
                               "rate 100 latency 0.0234)",
                    1);
    struct ear *now = ear_open(b, "actarray:0"), *then = ear_open(b, "actarray:1");
    ach_message_t *m, *n;
    int64_t k;

    bench_run(b, 23400 * MS / 1000 - 1);
    CHECK(!ear_next(then));
    for (k = 0; k < 10; k++) {
        CHECK(simd_world_next(b->world) <= k * 10 * MS + 23400000);
        bench_run(b, k * 10 * MS + 23400000);
        n = ear_next(then);
        m = ear_next(now);
        REQUIRE(m && n);
        CHECK(time_of(n) == (double)(k * 10 * MS) / 1e9 && time_of(m) == time_of(n));
        CHECK(same_body(m, n));
        ach_message_unref(m);
        ach_message_unref(n);
        CHECK(!ear_next(then));
    }
    ear_close(then); /* with samples not yet published */
    ear_close(now);
    CHECK(simd_world_next(b->world) == INT64_MAX);
    bench_end(b);
}

#define SAMPLES 20000

/* A pendulum at rest: all that is sensed is noise. */
static void hear_noise(uint64_t seed, const char *address, float *positions, float *speeds)
{
    char config[600];
    struct bench *b;
    struct ear *e;
    ach_message_t *m;
    size_t i;

    snprintf(config, sizeof(config),
             "physics (name \"arm\" engine \"pendulum\" step 0.01)\n"
             "driver (name \"sim_joints\" provides [\"%s\"] rate 1000 noise [0.1 0.02])",
             address);
    b = bench_start(config, seed);
    e = ear_open(b, address);
    bench_run(b, (SAMPLES - 1) * MS);
    for (i = 0; i < SAMPLES; i++) {
        m = ear_next(e);
        REQUIRE(m);
        positions[i] = actuator(m)->position;
        speeds[i] = actuator(m)->speed;
        ach_message_unref(m);
    }
    ear_close(e);
    bench_end(b);
}

static void moments(const float *x, double deviation)
{
    double sum = 0, squares = 0, fourth = 0, next = 0;
    size_t i;

    for (i = 0; i < SAMPLES; i++) {
        double v = (double)x[i] / deviation;

        sum += v;
        squares += v * v;
        fourth += v * v * v * v;
        next += i ? v * (double)x[i - 1] / deviation : 0;
    }
    CHECK(fabs(sum / SAMPLES) < 5 / sqrt(SAMPLES));
    CHECK(fabs(squares / SAMPLES - 1) < 5 * sqrt(2.0 / SAMPLES));
    CHECK(fabs(fourth / SAMPLES - 3) < 5 * sqrt(96.0 / SAMPLES));
    CHECK(fabs(next / SAMPLES) < 5 / sqrt(SAMPLES));
}

static void noise(void)
{
    static float a[SAMPLES], b[SAMPLES], speed[SAMPLES], other[SAMPLES];

    hear_noise(1, "actarray:0", a, speed);
    moments(a, 0.1);
    moments(speed, 0.02);
    hear_noise(1, "actarray:0", b, other);
    CHECK(memcmp(a, b, sizeof(a)) == 0 && memcmp(speed, other, sizeof(speed)) == 0);
    hear_noise(2, "actarray:0", b, other);
    CHECK(memcmp(a, b, sizeof(a)) != 0);
    hear_noise(1, "actarray:1", b, other);
    CHECK(memcmp(a, b, sizeof(a)) != 0);
}

static void quantum(void)
{
    struct bench *b =
        bench_start(ARM JOINTS "rate 100 quantum [0.25 0.5])\n"
                               "driver (name \"sim_joints\" provides [\"actarray:1\"])",
                    1);
    struct ear *rough = ear_open(b, "actarray:0"), *fine = ear_open(b, "actarray:1");
    ach_message_t *m, *n;
    unsigned several = 0;

    bench_run(b, 2000 * MS);
    while ((m = ear_next(rough))) {
        double p = (double)actuator(m)->position, v = (double)actuator(m)->speed;

        n = ear_next(fine);
        REQUIRE(n);
        CHECK(p / 0.25 == rint(p / 0.25) && v / 0.5 == rint(v / 0.5));
        CHECK(fabs(p - (double)actuator(n)->position) <= 0.125 + 1e-6);
        CHECK(fabs(v - (double)actuator(n)->speed) <= 0.25 + 1e-6);
        several += p != (double)actuator(n)->position;
        ach_message_unref(m);
        ach_message_unref(n);
    }
    CHECK(several > 100);
    ear_close(rough);
    ear_close(fine);
    bench_end(b);
}

int main(void)
{
    exact("1000", 1000);
    exact("30", 30);
    exact("7", 7);
    exact("29.97", 29.97);
    late();
    latency();
    noise();
    quantum();
    return check_result();
}
