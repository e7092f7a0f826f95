/* SPDX-License-Identifier: BSD-3-Clause */
/* urg-scan.c - a scanner that works: its ranges, its settings, at any speed, in each encoding */
#include <ach/interface/laser.h>
#include <math.h>

#include "scanner.h"

#define STEP (2 * M_PI / 1024)

static const char *const quick[] = {"period 20", NULL};

/* The range in the emulator's scene ramp; error codes become the largest range. */
static double expected(unsigned step, unsigned chars)
{
    double mm = step % 100 == 0 ? 5600 : 500 + step * 3;

    return chars == 2 && mm > 4095 && mm < 5600 ? 4.095 : mm / 1000;
}

static void check_scan(const ach_laser_data_t *d, unsigned first, unsigned last, unsigned chars)
{
    unsigned i, wrong = 0;

    REQUIRE(d);
    CHECK(d->ranges_count == last - first + 1);
    CHECK(fabs((double)d->min_angle - ((double)first - 384) * STEP) < 1e-5);
    CHECK(fabs((double)d->max_angle - ((double)last - 384) * STEP) < 1e-5);
    CHECK(fabs((double)d->resolution - STEP) < 1e-6);
    CHECK(fabs((double)d->max_range - 5.6) < 1e-6);
    for (i = 0; i < d->ranges_count && i <= last - first; i++)
        wrong += fabs((double)d->ranges[i] - expected(first + i, chars)) > 1e-6;
    CHECK(wrong == 0);
}

static void scans(struct ear *ear, unsigned first, unsigned last, unsigned chars)
{
    int i;

    for (i = 0; i < 3; i++) {
        ach_message_t *m = ear_data(ear, ACH_LASER_DATA_SCAN);

        REQUIRE(m);
        check_scan(ach_message_body(m), first, last, chars);
        ach_message_unref(m);
    }
}

static void try_scans(const char *options, const char *const *commands, unsigned first,
                      unsigned last, unsigned chars)
{
    struct scanner s = scanner_start(commands);
    struct rig *rig = scanner_robot(&s, options);
    struct ear *ear = ear_open(rig, "laser:0");

    printf("%s\n", options);
    scans(ear, first, last, chars);
    ear_close(ear);
    rig_end(rig);
    scanner_end(&s);
}

static void settings(struct ear *ear)
{
    ach_laser_config_t wanted = {.min_angle = -0.5f,
                                 .max_angle = 0.5f,
                                 .resolution = (float)(2 * STEP),
                                 .scanning_frequency = 5};
    const ach_laser_config_t *c;
    const ach_laser_data_t *d;
    ach_message_t *m = ear_request(ear, ACH_LASER_REQ_SET_CONFIG, &wanted);

    CHECK(ach_message_header(m)->type == ACH_MSG_ACK);
    c = ach_message_body(m);
    REQUIRE(c);
    CHECK(fabsf(c->min_angle + 0.5f) < 0.01f && fabsf(c->max_angle - 0.5f) < 0.01f);
    CHECK(fabs((double)c->resolution - 2 * STEP) < 1e-5 &&
          fabsf(c->scanning_frequency - 5) < 0.01f);
    ach_message_unref(m);
    /* Scans in transit still have the old settings. */
    do {
        m = ear_data(ear, ACH_LASER_DATA_SCAN);
        REQUIRE(m);
        d = ach_message_body(m);
        if (d->ranges_count < 400)
            break;
        ach_message_unref(m);
    } while (true);
    CHECK(d->ranges_count == 82);
    CHECK(fabs((double)d->resolution - 2 * STEP) < 1e-5);
    ach_message_unref(m);
    wanted.min_angle = 4;
    CHECK(!ear_acked(ear, ACH_LASER_REQ_SET_CONFIG, &wanted));
    wanted.min_angle = NAN;
    CHECK(!ear_acked(ear, ACH_LASER_REQ_SET_CONFIG, &wanted));
    CHECK(!ear_acked(ear, ACH_LASER_REQ_SET_CONFIG, NULL));
}

static void questions(struct ear *ear)
{
    ach_message_t *m = ear_request(ear, ACH_LASER_REQ_GET_GEOM, NULL);
    const ach_laser_geom_t *g = ach_message_body(m);

    REQUIRE(g);
    CHECK(fabs(g->pose.px - 0.1) < 1e-9 && fabs(g->pose.pyaw - M_PI / 2) < 1e-9);
    ach_message_unref(m);
    m = ear_request(ear, ACH_LASER_REQ_GET_ID, NULL);
    REQUIRE(ach_message_body(m));
    CHECK(((const ach_laser_get_id_config_t *)ach_message_body(m))->serial_number == 508486);
    ach_message_unref(m);
    CHECK(!ear_acked(ear, ACH_LASER_REQ_SET_FILTER, NULL));
}

static void power(struct ear *ear)
{
    ach_message_t *m;

    CHECK(ear_acked(ear, ACH_LASER_REQ_POWER, &(ach_laser_power_config_t){0}));
    while ((m = ear_next(ear, 0.3)))
        ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_LASER_REQ_POWER, &(ach_laser_power_config_t){1}));
    ach_message_unref(ear_data(ear, ACH_LASER_DATA_SCAN));
}

static void requests(void)
{
    struct scanner s = scanner_start(quick);
    struct rig *rig = scanner_robot(&s, "pose [0.1 0 90]");
    struct ear *ear = ear_open(rig, "laser:0");

    questions(ear);
    settings(ear);
    power(ear);
    ear_close(ear);
    /* A second subscription, after a shutdown, works as the first one did. */
    ear = ear_open(rig, "laser:0");
    ach_message_unref(ear_data(ear, ACH_LASER_DATA_SCAN));
    ear_close(ear);
    rig_end(rig);
    scanner_end(&s);
}

int main(void)
{
    const char *const slow[] = {"period 20", "speed 19200", NULL};
    const char *const old[] = {"period 20", "scip 1", NULL};

    try_scans("", quick, 44, 725, 3);
    try_scans("encoding 2", quick, 44, 725, 2);
    try_scans("continuous false", quick, 44, 725, 3);
    try_scans("continuous false encoding 2", quick, 44, 725, 2);
    try_scans("min_angle -90 max_angle 90", quick, 128, 640, 3);
    try_scans("baud 115200", slow, 44, 725, 3);
    try_scans("timeout 1.6", old, 44, 725, 3);
    requests();
    return check_result();
}
