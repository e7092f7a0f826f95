/* SPDX-License-Identifier: BSD-3-Clause */
/* fake.c - signals, rates, answers and faults as the config file says */
#include <ach/interface/laser.h>
#include <ach/interface/position2d.h>
#include <ach/interface/sonar.h>
#include <math.h>

#include "rig.h"

static struct rig *simulated(const char *config)
{
    struct rig *rig = rig_create(true);
    ach_status_t status = rig_load(rig, config);

    if (status != ACH_OK)
        rig_logged(rig, "no such line: show the log");
    REQUIRE_OK(status);
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    return rig;
}

/* Set the clock to @time, and return the message that is published then. */
static ach_message_t *at(struct rig *rig, struct ear *ear, double time, uint8_t subtype)
{
    ach_message_t *m;

    CHECK_OK(ach_robot_set_time(rig_robot(rig), time));
    m = ear_data(ear, subtype);
    REQUIRE(m);
    CHECK(ach_message_header(m)->timestamp == time);
    return m;
}

static void test_signals(void)
{
    struct rig *rig =
        simulated("driver (name \"fake\" provides [\"position2d:0\"] rate 4\n"
                  "  publish (body \"vel.py=7 stall=1\")\n"
                  "  signal (field \"pos.px\" shape \"ramp\" low 10 high 18 period 2)\n"
                  "  signal (field \"pos.py\" shape \"sine\" low -1 high 1 period 1)\n"
                  "  signal (field \"pos.pa\" shape \"square\" low 2 high 3 period 1)\n"
                  "  signal (field \"vel.px\" shape \"constant\" low 5)\n"
                  "  signal (field \"stall\" shape \"constant\" low 1000)\n"
                  "  signal (field \"vel.pa\" shape \"noise\" low 1 high 2))");
    struct ear *ear = ear_open(rig, "position2d:0");
    static const double sine[] = {0, 1, 0, -1};
    double last = 0;
    int i;

    for (i = 1; i <= 12; i++) {
        ach_message_t *m = at(rig, ear, i * 0.25, ACH_POSITION2D_DATA_STATE);
        const ach_position2d_data_t *d = ach_message_body(m);

        CHECK(fabs(d->pos.px - (10 + i % 8)) < 1e-9);
        CHECK(fabs(d->pos.py - sine[i % 4]) < 1e-9);
        CHECK(d->pos.pa == (i % 4 < 2 ? 3 : 2));
        CHECK(d->vel.px == 5 && d->vel.py == 7);
        CHECK(d->vel.pa >= 1 && d->vel.pa < 2 && d->vel.pa != last);
        CHECK(d->stall == 255); /* clamped to 8 bits */
        last = d->vel.pa;
        ach_message_unref(m);
    }
    ear_close(ear);
    rig_end(rig);
}

static void test_arrays(void)
{
    struct rig *rig =
        simulated("driver (name \"fake\" provides [\"laser:0\" \"sonar:2\"] rate 1\n"
                  "  publish (body \"max_range=8 ranges=1,2,3,4 intensity=9,9\")\n"
                  "  publish (device \"sonar:2\" message \"GEOM\"\n"
                  "           body \"poses[0].px=1 poses[1].px=2\")\n"
                  "  signal (field \"ranges\" shape \"ramp\" low 0 high 10 period 10 spread 1)\n"
                  "  signal (field \"intensity[1]\" low 77)\n"
                  "  signal (device \"sonar:2\" message \"geom\" field \"poses[1].py\" low 5)\n"
                  "  signal (device \"sonar:2\" message \"GEOM\" field \"poses.pz\" low 6))");
    struct ear *laser = ear_open(rig, "laser:0"), *sonar = ear_open(rig, "sonar:2");
    ach_message_t *m = at(rig, laser, 1, ACH_LASER_DATA_SCAN);
    const ach_laser_data_t *scan = ach_message_body(m);
    const ach_sonar_geom_t *geom;
    uint32_t i;

    CHECK(scan->ranges_count == 4 && scan->max_range == 8);
    for (i = 0; i < 4; i++)
        CHECK(fabsf(scan->ranges[i] - (float)(1 + i)) < 1e-6f);
    CHECK(scan->intensity[0] == 9 && scan->intensity[1] == 77);
    ach_message_unref(m);
    m = ear_data(sonar, ACH_SONAR_DATA_GEOM);
    geom = ach_message_body(m);
    CHECK(geom->poses[0].px == 1 && geom->poses[0].py == 0 && geom->poses[0].pz == 6);
    CHECK(geom->poses[1].px == 2 && geom->poses[1].py == 5 && geom->poses[1].pz == 6);
    ach_message_unref(m);
    ear_close(laser);
    ear_close(sonar);
    rig_end(rig);
}

static void test_answers(void)
{
    struct rig *rig =
        rig_start("driver (name \"fake\" provides [\"laser:0\" \"position2d:0\"] rate 1\n"
                  "  answer (message \"GET_GEOM\" body \"pose.px=1.5 size.sh=2\")\n"
                  "  answer (message \"POWER\")\n"
                  "  answer (message \"GET_ID\" refuse yes)\n"
                  "  answer (message \"GET_CONFIG\" body \"max_range=4\" delay 0.2)\n"
                  "  answer (message \"SET_FILTER\" hold yes)\n"
                  "  answer (device \"position2d:0\" message \"get_geom\" body \"pose.px=9\"))");
    struct ear *laser = ear_open(rig, "laser:0"), *base = ear_open(rig, "position2d:0");
    ach_capability_t can = {.type = ACH_MSG_REQ, .subtype = ACH_LASER_REQ_GET_GEOM};
    ach_message_t *m = ear_request(laser, ACH_LASER_REQ_GET_GEOM, NULL);
    const ach_laser_geom_t *geom = ach_message_body(m);
    double before = rig_now();

    CHECK(geom && geom->pose.px == 1.5 && geom->size.sh == 2);
    ach_message_unref(m);
    CHECK(ear_acked(laser, ACH_REQ_CAPABILITY, &can));
    CHECK(ear_acked(laser, ACH_LASER_REQ_POWER, NULL));
    CHECK(!ear_acked(laser, ACH_LASER_REQ_GET_ID, NULL));
    m = ear_request(laser, ACH_LASER_REQ_GET_CONFIG, NULL);
    CHECK(((const ach_laser_config_t *)ach_message_body(m))->max_range == 4);
    CHECK(rig_now() - before >= 0.2);
    ach_message_unref(m);
    ear_ask(laser, ACH_LASER_REQ_SET_FILTER, NULL);
    CHECK(ear_acked(base, ACH_POSITION2D_REQ_GET_GEOM, NULL));
    CHECK(!ear_acked(base, ACH_POSITION2D_REQ_RESET_ODOM, NULL));
    ear_close(base);
    CHECK_OK(ach_robot_unsubscribe(rig_robot(rig), &(ach_address_t){0, 0, 6, 0}, ear_queue(laser)));
    m = ear_want(laser, ACH_MSG_NACK, ACH_LASER_REQ_SET_FILTER);
    ach_message_unref(m);
    ear_forget(laser);
    rig_end(rig);
}

static void set(struct ear *ear, const char *name, int32_t value)
{
    char key[32];
    ach_intprop_t p = {.key_count = (uint32_t)strlen(name) + 1, .key = key, .value = value};

    strcpy(key, name);
    CHECK(ear_acked(ear, ACH_REQ_SET_INTPROP, &p));
}

static void test_damage(void)
{
    struct rig *rig =
        simulated("driver (name \"fake\" provides [\"position2d:0\"] rate 1 drop 3 delay 0.5\n"
                  "  silent_after 100)");
    struct ear *ear = ear_open(rig, "position2d:0");
    ach_message_t *m;
    int i;

    for (i = 1; i <= 9; i++) {
        CHECK_OK(ach_robot_set_time(rig_robot(rig), i));
        m = ear_next(ear, i % 3 == 0 ? 0.05 : RIG_PATIENCE);
        CHECK((m != NULL) == (i % 3 != 0));
        if (m)
            CHECK(ach_message_header(m)->timestamp == i - 0.5 && ach_message_body(m));
        ach_message_unref(m);
    }
    set(ear, "drop", 0);
    set(ear, "corrupt", 2);
    for (i = 10; i <= 15; i++) {
        CHECK_OK(ach_robot_set_time(rig_robot(rig), i));
        m = ear_next(ear, RIG_PATIENCE);
        REQUIRE(m);
        CHECK((ach_message_body(m) != NULL) == (i % 2 != 0));
        CHECK((ach_message_check(m) == ACH_OK) == (i % 2 != 0));
        ach_message_unref(m);
    }
    CHECK_OK(ach_robot_set_time(rig_robot(rig), 101));
    CHECK(!ear_next(ear, 0.05));
    ear_close(ear);
    rig_end(rig);
}

static void test_setup_and_death(void)
{
    struct rig *rig = rig_start("driver (name \"fake\" provides [\"position2d:0\"] fail_setup 2\n"
                                "  slow_setup 0.05 die_after 0.2 rate 100)");
    double before = rig_now();
    struct ear *ear = ear_open(rig, "position2d:0"), *other;
    ach_status_t status;
    char why[256];

    CHECK(rig_now() - before >= 0.05);
    ear_close(ear);
    other = ear_try(rig, "position2d:0", &status, why);
    CHECK(status == ACH_FAILED_SYSCALL && strstr(why, "every setup number 2 fails"));
    ear_close(other);
    ear = ear_open(rig, "position2d:0");
    CHECK(rig_logged(rig, "driver fake has failed; next attempt in"));
    ear_close(ear);
    rig_end(rig);
}

static void refused(const char *config, const char *why)
{
    struct rig *rig = rig_create(false);

    CHECK_STATUS(rig_load(rig, config), ACH_EINVAL);
    CHECK(rig_logged(rig, why));
    CHECK(rig_count(rig, "test.cfg:") == 1); /* one sentence for one error */
    rig_end(rig);
}

static void test_wrong(void)
{
    refused("driver (name \"fake\" provides [\"laser:0\"] rate -1)", "a rate above 0");
    refused("driver (name \"fake\" provides [\"laser:0\"]\n publish (device \"laser:1\"))",
            "a device that this driver provides");
    refused("driver (name \"fake\" provides [\"laser:0\"]\n publish (message \"SCANS\"))",
            "a data message of the interface");
    refused("driver (name \"fake\" provides [\"laser:0\"]\n publish (body \"rages=1\"))",
            "fields of that message");
    refused("driver (name \"fake\" provides [\"laser:0\"]\n signal (field \"ranges.x\"))",
            "a number of that message");
    refused("driver (name \"fake\" provides [\"laser:0\"]\n signal (field \"ranges_count\"))",
            "a number of that message");
    refused("driver (name \"fake\" provides [\"laser:0\"]\n"
            " signal (field \"id\" shape \"triangle\"))",
            "constant, ramp, sine");
    refused("driver (name \"fake\" provides [\"laser:0\"]\n answer (message \"SCAN\"))",
            "a request of the interface");
}

int main(void)
{
    test_signals();
    test_arrays();
    test_answers();
    test_damage();
    test_setup_and_death();
    test_wrong();
    return check_result();
}
