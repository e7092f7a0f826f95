/* SPDX-License-Identifier: BSD-3-Clause */
/* converters.c - a laser as a ranger, a ranger as a laser, sonars as a ranger */
#include <ach/interface/laser.h>
#include <ach/interface/ranger.h>
#include <ach/interface/sonar.h>
#include <math.h>

#include "rig.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static const char *const laser =
    "driver (name \"fake\" provides [\"laser:0\"] rate 50\n"
    "  publish (body [\"min_angle=-1 max_angle=1 resolution=0.5 max_range=8\"\n"
    "                 \"ranges=1,2,3,4.5,5 intensity=1,2,3,4,255\"])\n"
    "  publish (message \"SCANPOSE\" body \"scan.ranges=7,8 pose.px=10 pose.pa=0.5\")\n"
    "  answer (message \"GET_GEOM\" body \"pose.px=0.25 pose.pyaw=1 size.sl=0.1\")\n"
    "  answer (message \"GET_CONFIG\" body [\"min_angle=-1 max_angle=1 resolution=0.5\"\n"
    "          \"max_range=8 range_res=0.01 scanning_frequency=50\"])\n"
    "  answer (message \"SET_CONFIG\" body \"max_range=4\")\n"
    "  answer (message \"POWER\"))\n";

static void check_ranges(struct ear *ear)
{
    ach_message_t *m = ear_data(ear, ACH_RANGER_DATA_RANGE);
    const ach_ranger_data_range_t *range = ach_message_body(m);
    const ach_ranger_data_rangestamped_t *stamped;
    const ach_ranger_data_intns_t *intns;

    CHECK(range->ranges_count == 5 && range->ranges[0] == 1 && range->ranges[3] == 4.5);
    ach_message_unref(m);
    m = ear_data(ear, ACH_RANGER_DATA_INTNS);
    intns = ach_message_body(m);
    CHECK(intns->intensities_count == 5 && intns->intensities[4] == 255);
    ach_message_unref(m);
    m = ear_data(ear, ACH_RANGER_DATA_RANGESTAMPED);
    stamped = ach_message_body(m);
    CHECK(stamped->data.ranges_count == 2 && stamped->data.ranges[1] == 8);
    CHECK(stamped->have_geom && stamped->geom.pose.px == 10 && stamped->geom.pose.pyaw == 0.5);
    CHECK(!stamped->have_config);
    ach_message_unref(m);
}

static void test_lasertoranger(void)
{
    char config[2048];
    struct rig *rig;
    struct ear *ear;
    ach_message_t *m;
    const ach_ranger_geom_t *geom;
    const ach_ranger_config_t *told;
    ach_ranger_config_t wanted = {.max_range = 4};
    ach_ranger_intns_config_t intns = {1};
    ach_ranger_power_config_t power = {1};

    snprintf(config, sizeof(config),
             "%s driver (name \"lasertoranger\" provides [\"ranger:0\"] requires [\"laser:0\"])",
             laser);
    rig = rig_start(config);
    ear = ear_open(rig, "ranger:0");
    m = ear_data(ear, ACH_RANGER_DATA_GEOM); /* without a request */
    geom = ach_message_body(m);
    CHECK(geom->pose.px == 0.25 && geom->pose.pyaw == 1 && geom->size.sl == 0.1);
    ach_message_unref(m);
    check_ranges(ear);
    m = ear_request(ear, ACH_RANGER_REQ_GET_GEOM, NULL);
    geom = ach_message_body(m);
    CHECK(geom && geom->pose.px == 0.25 && geom->element_poses_count == 0);
    ach_message_unref(m);
    m = ear_request(ear, ACH_RANGER_REQ_GET_CONFIG, NULL);
    told = ach_message_body(m);
    CHECK(told && told->min_angle == -1 && told->angular_res == 0.5 && told->max_range == 8);
    CHECK(told && near(told->range_res, 0.01) && told->frequency == 50);
    ach_message_unref(m);
    m = ear_request(ear, ACH_RANGER_REQ_SET_CONFIG, &wanted);
    told = ach_message_body(m);
    CHECK(told && told->max_range == 4);
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_RANGER_REQ_INTNS, &intns));
    CHECK(ear_acked(ear, ACH_RANGER_REQ_POWER, &power));
    CHECK(!ear_acked(ear, ACH_RANGER_REQ_POWER, NULL));
    ear_close(ear);
    rig_end(rig);
}

/* Laser to ranger and back to laser: the data stays the same. */
static void test_rangertolaser(void)
{
    char config[2048];
    struct rig *rig;
    struct ear *ear;
    ach_message_t *m, *again;
    const ach_laser_data_t *scan;
    const ach_laser_data_scanpose_t *posed;
    const ach_laser_geom_t *geom;
    const ach_laser_config_t *told;
    ach_laser_config_t wanted = {.max_range = 4};
    ach_laser_power_config_t power = {0};

    snprintf(config, sizeof(config),
             "%s driver (name \"lasertoranger\" provides [\"ranger:0\"] requires [\"laser:0\"])\n"
             "driver (name \"rangertolaser\" provides [\"laser:1\"] requires [\"ranger:0\"])",
             laser);
    rig = rig_start(config);
    ear = ear_open(rig, "laser:1");
    m = ear_data(ear, ACH_LASER_DATA_SCAN);
    again = ear_data(ear, ACH_LASER_DATA_SCAN);
    scan = ach_message_body(again);
    CHECK(scan->min_angle == -1 && scan->max_angle == 1 && scan->resolution == 0.5f);
    CHECK(scan->max_range == 8 && scan->ranges_count == 5 && scan->ranges[3] == 4.5f);
    CHECK(scan->intensity_count == 5 && scan->intensity[4] == 255);
    CHECK(scan->id > ((const ach_laser_data_t *)ach_message_body(m))->id);
    ach_message_unref(m);
    ach_message_unref(again);
    m = ear_data(ear, ACH_LASER_DATA_SCANPOSE);
    posed = ach_message_body(m);
    CHECK(posed->scan.ranges_count == 2 && posed->pose.px == 10 && posed->pose.pa == 0.5);
    ach_message_unref(m);
    m = ear_request(ear, ACH_LASER_REQ_GET_GEOM, NULL);
    geom = ach_message_body(m);
    CHECK(geom && geom->pose.px == 0.25 && geom->size.sl == 0.1);
    ach_message_unref(m);
    m = ear_request(ear, ACH_LASER_REQ_GET_CONFIG, NULL);
    told = ach_message_body(m);
    CHECK(told && told->max_range == 8 && told->scanning_frequency == 50);
    ach_message_unref(m);
    m = ear_request(ear, ACH_LASER_REQ_SET_CONFIG, &wanted);
    told = ach_message_body(m);
    CHECK(told && told->max_range == 4);
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_LASER_REQ_POWER, &power));
    CHECK(!ear_acked(ear, ACH_LASER_REQ_GET_ID, NULL));
    ear_close(ear);
    rig_end(rig);
}

/* A ranger that refuses GET_CONFIG yields no scans, and one warning. */
static void test_without_config(void)
{
    struct rig *rig =
        rig_start("driver (name \"dummy\" provides [\"ranger:0\"] rate 100)\n"
                  "driver (name \"rangertolaser\" provides [\"laser:1\"] requires [\"ranger:0\"])");
    struct ear *ear = ear_open(rig, "laser:1");

    CHECK(rig_logged(rig, "does not report its configuration"));
    CHECK(!ear_next(ear, 0.05));
    CHECK(rig_count(rig, "does not report its configuration") == 1);
    ear_close(ear);
    rig_end(rig);
}

static void test_sonartoranger(void)
{
    struct rig *rig =
        rig_start("unit_length \"cm\"\n"
                  "driver (name \"fake\" provides [\"sonar:0\"] rate 50\n"
                  "  publish (body \"ranges=1,2.5,3\")\n"
                  "  publish (message \"GEOM\" rate 20 body \"poses[2].px=1\")\n"
                  "  signal (message \"GEOM\" field \"poses[0].px\" shape \"square\" low 5 high 6 "
                  "period 0.5)\n"
                  "  answer (message \"GET_GEOM\" body \"poses[2].px=1\")\n"
                  "  answer (message \"POWER\"))\n"
                  "driver (name \"sonartoranger\" provides [\"ranger:0\"] requires [\"sonar:0\"]\n"
                  "        max_range 300)");
    struct ear *ear = ear_open(rig, "ranger:0");
    ach_ranger_power_config_t power = {1};
    const ach_ranger_data_range_t *range;
    const ach_ranger_geom_t *geom;
    ach_message_t *m = ear_data(ear, ACH_RANGER_DATA_RANGE);
    double last = NAN;
    int i;

    range = ach_message_body(m);
    CHECK(range->ranges_count == 3 && range->ranges[1] == 2.5);
    ach_message_unref(m);
    for (i = 0; i < 4; i++) { /* a geometry is published only when it has changed */
        m = ear_data(ear, ACH_RANGER_DATA_GEOM);
        geom = ach_message_body(m);
        CHECK(geom->element_poses_count == 3 && geom->element_poses[0].px != last);
        last = geom->element_poses[0].px;
        ach_message_unref(m);
    }
    m = ear_request(ear, ACH_RANGER_REQ_GET_GEOM, NULL);
    geom = ach_message_body(m);
    CHECK(geom && geom->element_poses_count == 3 && geom->element_poses[2].px == 1);
    ach_message_unref(m);
    m = ear_request(ear, ACH_RANGER_REQ_GET_CONFIG, NULL);
    CHECK(((const ach_ranger_config_t *)ach_message_body(m))->max_range == 3);
    ach_message_unref(m);
    CHECK(ear_acked(ear, ACH_RANGER_REQ_POWER, &power));
    CHECK(!ear_acked(ear, ACH_RANGER_REQ_SET_CONFIG, NULL));
    ear_close(ear);
    rig_end(rig);
}

int main(void)
{
    struct rig *rig = rig_create(false);

    test_lasertoranger();
    test_rangertolaser();
    test_without_config();
    test_sonartoranger();
    CHECK(rig_load(rig, "driver (name \"null\" provides [\"sonar:0\"])\n"
                        "driver (name \"sonartoranger\" provides [\"ranger:0\"]\n"
                        "        requires [\"sonar:0\"] min_range 9)") != ACH_OK);
    CHECK(rig_logged(rig, "a length above min_range"));
    rig_end(rig);
    return check_result();
}
