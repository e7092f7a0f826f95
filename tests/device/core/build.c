/* SPDX-License-Identifier: BSD-3-Clause */
/* build.c - robots from valid and invalid config texts; clocks; plug-ins */
#include <ach/interface/laser.h>
#include <ach/interface/position2d.h>

#include "probe.h"
#include "rig.h"

static void refused(const char *config, const char *why)
{
    struct rig *rig = rig_create(false);

    rig_add(rig, &probe_class);
    CHECK_STATUS(rig_load(rig, config), ACH_EINVAL);
    CHECK(rig_logged(rig, why));
    rig_end(rig);
}

static void test_wrong(void)
{
    refused("driver (name \"probe\" provides [\"opaque:0\"])\n"
            "driver (name \"probe\" provides [\"opaque:0\"])",
            "two drivers provide opaque:0");
    refused("driver (name \"probe\" provides [\"lazer:0\"])",
            "interface of this one is unknown; was 'laser' meant?");
    refused("driver (name \"probe\" provides [\"1:opqaue:0\"])", "was 'opaque' meant?");
    refused("driver (name \"porbe\" provides [\"opaque:0\"])", "in a plug-in; was 'probe' meant?");
    refused("driver (name \"probe\" provides [\"opaque:0\"] requires [\"laser:3\"])",
            "test.cfg:1: driver probe requires laser:3, which no driver provides");
    refused("\ndriver (name \"nobody\")", "test.cfg:2:");
    refused("driver (provides [\"opaque:0\"])", "a driver needs a name");
    refused("driver (name \"probe\" provides [\"opaque:x\"])", "an address");
    refused("driver (name \"probe\" provides [\"opaque:0\"] speed \"fast\")", "test.cfg:1:");
    refused("driver (name \"probe\")", "names no opaque");
    refused("driver (name \"null\" provides [\"laser:0\"] alwayson \"always\")", "test.cfg:1:");
}

static void test_circles(void)
{
    refused("driver (name \"passthrough\" provides [\"laser:0\"] requires [\"laser:0\"])",
            "in a circle: passthrough (test.cfg:1) -> laser:0 of passthrough (test.cfg:1)");
    refused("driver (name \"null\" provides [\"sonar:0\"])\n"
            "driver (name \"passthrough\" provides [\"laser:0\"] requires [\"laser:2\"])\n"
            "driver (name \"probe\" provides [\"opaque:0\"] requires [\"sonar:0\" \"laser:0\"])\n"
            "driver (name \"null\" provides [\"laser:2\"] requires [\"opaque:0\"])",
            "passthrough (test.cfg:2) -> laser:2 of null (test.cfg:4) -> opaque:0 of probe "
            "(test.cfg:3) -> laser:0 of passthrough (test.cfg:2)");
}

static void test_warnings(void)
{
    struct rig *rig = rig_create(false);

    CHECK_OK(rig_load(rig, "driver\n(\n  name \"null\"\n  provides [\"laser:0\"]\n  colour 5\n)"));
    CHECK(rig_logged(rig, "test.cfg:5:"));
    CHECK(rig_logged(rig, "colour"));
    rig_end(rig);
}

static void check_data(struct rig *rig, const char *address, uint8_t subtype)
{
    struct ear *ear = ear_open(rig, address);
    ach_message_t *m = ear_data(ear, subtype);

    CHECK(m);
    ach_message_unref(m);
    ear_close(ear);
}

/* The form of early versions of Player, also with a template. */
static void test_older(void)
{
    struct rig *rig = rig_create(false);

    REQUIRE_OK(rig_load(rig, "define scanner laser:7 (driver \"dummy\" rate 100)\n"
                             "position:0 (driver \"dummy\" rate 100 alwayson 1)\n"
                             "scanner ()\n"
                             "laser:1\n(\n  driver \"dummy\"\n  colour 5\n)\n"
                             "driver (name \"passthrough\" provides [\"position:1\"]\n"
                             "        requires [\"position:0\"])\n"));
    CHECK(rig_logged(rig, "test.cfg:7:") && rig_logged(rig, "colour"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    check_data(rig, "position2d:1", ACH_POSITION2D_DATA_STATE);
    check_data(rig, "laser:7", ACH_LASER_DATA_SCAN);
    rig_end(rig);
    refused("position:0 (driver \"nobody\")", "found the string \"nobody\"");
    refused("laser:0 (driver 5)", "test.cfg:1:");
    refused("laser:0 (driver \"null\")\nlaser:0 (driver \"null\")", "two drivers provide laser:0");
}

/* A diamond of requirements is no circle, and the driver at its root is set up once. */
static void test_diamond(void)
{
    struct rig *rig = rig_create(false);
    struct ear *ear;

    probe_reset();
    rig_add(rig, &probe_class);
    REQUIRE_OK(rig_load(
        rig, "driver (name \"probe\" number 3 provides [\"opaque:3\"]\n"
             "        requires [\"opaque:1\" \"opaque:2\"])\n"
             "driver (name \"probe\" number 1 provides [\"opaque:1\"] requires [\"opaque:0\"])\n"
             "driver (name \"probe\" number 2 provides [\"opaque:2\"] requires [\"opaque:0\"])\n"
             "driver (name \"probe\" number 0 provides [\"opaque:0\"])\n"));
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    ear = ear_open(rig, "opaque:3");
    CHECK(probe_counts[0].setups == 1 && probe_counts[1].setups == 1);
    CHECK(probe_counts[2].setups == 1 && probe_counts[3].setups == 1);
    ear_close(ear);
    EVENTUALLY(probe_counts[0].shutdowns == 1);
    rig_end(rig);
}

static void test_clock(void)
{
    struct rig *rig = rig_create(true);
    ach_robot_t *robot = rig_robot(rig);
    struct ear *ear;
    int i;

    probe_reset();
    rig_add(rig, &probe_class);
    REQUIRE_OK(rig_load(rig, "driver (name \"probe\" provides [\"opaque:0\"] tick 10)"));
    REQUIRE_OK(ach_robot_start(robot));
    CHECK(ach_robot_time(robot) == 0);
    ear = ear_open(rig, "opaque:0");
    for (i = 1; i <= 20; i++) {
        check_sleep_ms(2);
        CHECK(probe_counts[0].ticks == (unsigned)i - 1);
        CHECK_OK(ach_robot_set_time(robot, 10 * i - 1));
        check_sleep_ms(2);
        CHECK(probe_counts[0].ticks == (unsigned)i - 1);
        CHECK_OK(ach_robot_set_time(robot, 10 * i));
        EVENTUALLY(probe_counts[0].ticks == (unsigned)i);
        CHECK(probe_counts[0].time == 10 * i);
    }
    CHECK_OK(ach_robot_set_time(robot, 5));
    CHECK(ach_robot_time(robot) == 200);
    ear_close(ear);
    rig_end(rig);

    rig = rig_create(false);
    CHECK_STATUS(ach_robot_set_time(rig_robot(rig), 5), ACH_ENOTSUP);
    CHECK(ach_robot_time(rig_robot(rig)) > 1e9);
    rig_end(rig);
}

static void plugin(struct rig *rig, const char *name, ach_status_t want, const char *why)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", getenv("PLUGINS"), name);
    CHECK_STATUS(ach_robot_add_plugin(rig_robot(rig), path), want);
    if (want != ACH_OK && !CHECK(strstr(ach_errstr(), why)))
        fprintf(stderr, "%s\n", ach_errstr());
}

static void test_plugins(void)
{
    struct rig *rig = rig_create(false);
    struct ear *ear;

    REQUIRE(getenv("PLUGINS"));
    plugin(rig, "none.so", ACH_ENOENT, "there is no plug-in");
    plugin(rig, "plugin_old.so", ACH_BAD_HEADER, "built for version 99 of driver.h");
    plugin(rig, "plugin_class.so", ACH_BAD_HEADER, "built for version 98 of driver.h");
    plugin(rig, "plugin_not.so", ACH_BAD_HEADER, "neither drivers nor transports");
    plugin(rig, "plugin_same.so", ACH_EEXIST, "two drivers called null");
    plugin(rig, "plugin_good.so", ACH_OK, NULL);
    plugin(rig, "plugin_good.so", ACH_OK, NULL); /* a second time: no effect */
    REQUIRE_OK(rig_load(rig, "driver (name \"plugged\" provides [\"laser:0\"])"));
    ear = ear_open(rig, "laser:0");
    ear_close(ear);
    rig_end(rig);

    rig = rig_create(false);
    setenv("ACH_PLUGIN_PATH", getenv("PLUGINS"), 1);
    CHECK_OK(rig_load(rig, "plugin \"plugin_good\"\n"
                           "driver (name \"plugged\" provides [\"laser:0\"])"));
    rig_end(rig);
    refused("plugin \"no_such\"\n", "there is no plug-in no_such");
    refused("driver (name \"plugged\" plugin \"plugin_old\")", "version 99");
}

int main(void)
{
    test_wrong();
    test_circles();
    test_warnings();
    test_older();
    test_diamond();
    test_clock();
    test_plugins();
    return check_result();
}
