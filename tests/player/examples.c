/* SPDX-License-Identifier: BSD-3-Clause */
/* examples.c - the examples of Player's paper and tutorials work as plug-ins */
#include <ach/interface/laser.h>
#include <ach/interface/opaque.h>
#include <ach/interface/position2d.h>

#include "counter.h"
#include "opaque.h"
#include "rig.h"

#define FIGURES                                                                                    \
    "driver (plugin \"figures\" name \"player-urg_laser\" provides [\"laser:0\"]"                  \
    "        pose [0.25 0.5 90] min_angle -120)\n"

static void figures(void)
{
    struct rig *rig = rig_start(FIGURES);
    struct ear *ear = ear_open(rig, "laser:0");
    ach_message_t *m = ear_data(ear, ACH_LASER_DATA_SCAN);
    const ach_laser_data_t *scan = ach_message_body(m);
    const ach_laser_geom_t *geom;

    CHECK(scan->ranges_count == 384);
    CHECK(scan->ranges[0] == 4.095f && scan->ranges[10] == 0.02f && scan->ranges[383] == 0.766f);
    CHECK(scan->min_angle < -2.09f && scan->min_angle > -2.1f);
    ach_message_unref(m);
    m = ear_request(ear, ACH_LASER_REQ_GET_GEOM, NULL);
    geom = ach_message_body(m);
    REQUIRE(geom && ach_message_header(m)->type == ACH_MSG_ACK);
    CHECK(geom->pose.px == 0.25 && geom->pose.py == 0.5 && geom->pose.pyaw > 1.57);
    ach_message_unref(m);
    CHECK(!ear_acked(ear, ACH_LASER_REQ_GET_ID, NULL));
    ear_close(ear);
    ear = ear_open(rig, "laser:0"); /* Setup, again */
    ach_message_unref(ear_data(ear, ACH_LASER_DATA_SCAN));
    ear_close(ear);
    rig_end(rig);
}

static double speed(struct ear *ear)
{
    ach_message_t *m = ear_data(ear, ACH_POSITION2D_DATA_STATE);
    double v = m ? ((const ach_position2d_data_t *)ach_message_body(m))->vel.px : 0;

    ach_message_unref(m);
    return v;
}

static void example(void)
{
    struct rig *rig = rig_start("driver (plugin \"example\" name \"exampledriver\""
                                "        provides [\"position2d:3\"] speed_limit 2)");
    struct ear *ear = ear_open(rig, "position2d:3");
    ach_position2d_cmd_vel_t vel = {.vel = {1.5, 0, 0}};

    CHECK(rig_logged(rig, "the speed limit is 2"));
    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &vel));
    EVENTUALLY(speed(ear) == 1.5);
    vel.vel.px = 5;
    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &vel));
    EVENTUALLY(speed(ear) == 2);
    ear_close(ear);
    CHECK(rig_logged(rig, "example: has ended"));
    rig_end(rig);
}

/* One of ours, one of Player, and one of Player that uses it. */
static void multi(void)
{
    struct rig *rig = rig_start(FIGURES "driver (plugin \"multi\" name \"multidriver\""
                                        "        provides [\"position2d:0\" \"front:::laser:1\"]"
                                        "        requires [\"laser:0\"])");
    struct ear *base = ear_open(rig, "position2d:0"), *front;
    ach_message_t *m = ear_data(base, ACH_POSITION2D_DATA_STATE);

    CHECK(rig_logged(rig, "the scanner is 0.25 m ahead"));
    CHECK(((const ach_position2d_data_t *)ach_message_body(m))->stall == 1);
    ach_message_unref(m);
    front = ear_open(rig, "laser:1");
    m = ear_data(front, ACH_LASER_DATA_SCAN);
    CHECK(((const ach_laser_data_t *)ach_message_body(m))->ranges_count == 384);
    ach_message_unref(m);
    ear_close(base);
    ear_close(front);
    rig_end(rig);
    rig_refuses("driver (plugin \"multi\" name \"multidriver\" provides [\"position2d:0\"])",
                "constructor has failed");
}

static uint32_t count_of(struct ear *ear)
{
    ach_message_t *m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
    const ach_opaque_data_t *bytes = ach_message_body(m);
    struct opaque_sample s = {0};

    if (CHECK(bytes && bytes->data_count == sizeof(s)))
        memcpy(&s, bytes->data, sizeof(s));
    CHECK(s.half == s.count / 2.0);
    ach_message_unref(m);
    return s.count;
}

static void opaque(void)
{
    struct rig *rig =
        rig_start("driver (plugin \"opaque\" name \"opaquedriver\" provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    uint32_t start = 1000;
    ach_opaque_data_t body = {sizeof(start), (uint8_t *)&start};

    CHECK(count_of(ear) < 1000);
    CHECK_OK(ear_command(ear, ACH_OPAQUE_CMD_DATA, &body));
    EVENTUALLY(count_of(ear) > 1000);
    ear_close(ear);
    rig_end(rig);
}

static void interface(void)
{
    struct rig *rig = rig_start("plugin \"counter\"\n"
                                "driver (name \"counterdriver\" provides [\"counter:0\"])");
    struct ear *ear = ear_open(rig, "counter:0");
    ach_counter_start_t start = {3};
    const ach_counter_numbers_t *n;
    ach_message_t *m;

    CHECK_OK(ear_command(ear, ACH_COUNTER_CMD_START, &start));
    m = ear_data(ear, ACH_COUNTER_DATA_NUMBERS);
    n = ach_message_body(m);
    CHECK(n->numbers_count == 3 && n->numbers[2] == 2);
    ach_message_unref(m);
    m = ear_request(ear, ACH_COUNTER_REQ_LIMIT, NULL);
    CHECK(((const ach_counter_limit_t *)ach_message_body(m))->value == 100);
    ach_message_unref(m);
    ear_close(ear);
    rig_end(rig);
}

int main(void)
{
    figures();
    example();
    multi();
    opaque();
    interface();
    return check_result();
}
