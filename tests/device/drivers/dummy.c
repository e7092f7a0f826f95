/* SPDX-License-Identifier: BSD-3-Clause */
/* dummy.c - the dummy driver publishes constant data of every interface and refuses all requests */
#include <ach/interface/laser.h>
#include <ach/interface/position2d.h>

#include "rig.h"

static void test_position(struct rig *rig)
{
    struct ear *ear = ear_open(rig, "position2d:0");
    ach_message_t *m = ear_data(ear, ACH_POSITION2D_DATA_STATE);
    const ach_position2d_data_t *body = ach_message_body(m);
    ach_capability_t can = {.type = ACH_MSG_CMD, .subtype = ACH_POSITION2D_CMD_VEL};
    ach_position2d_cmd_vel_t vel = {.state = 1};
    double before = ach_message_header(m)->timestamp;

    CHECK(body && body->pos.px == 1 && body->pos.py == 1 && body->pos.pa == 1);
    CHECK(body && body->vel.px == 1 && body->vel.py == 1 && body->vel.pa == 1);
    CHECK(body && body->stall == 0);
    ach_message_unref(m);
    m = ear_data(ear, ACH_POSITION2D_DATA_STATE);
    CHECK(ach_message_header(m)->timestamp > before);
    ach_message_unref(m);
    CHECK(!ear_acked(ear, ACH_POSITION2D_REQ_GET_GEOM, NULL));
    CHECK(!ear_acked(ear, ACH_REQ_CAPABILITY, &can));
    CHECK_OK(ear_command(ear, ACH_POSITION2D_CMD_VEL, &vel));
    ear_close(ear);
}

static void test_laser(struct rig *rig)
{
    struct ear *ear = ear_open(rig, "laser:0");
    ach_message_t *m = ear_data(ear, ACH_LASER_DATA_SCAN);
    const ach_laser_data_t *scan = ach_message_body(m);

    CHECK(scan && scan->ranges_count == 7 && scan->intensity_count == 7);
    CHECK(scan && scan->min_angle + 6 * scan->resolution == scan->max_angle);
    ach_message_unref(m);
    ear_close(ear);
}

/* A dummy of every interface publishes data, if the interface has data messages. */
static void test_all(void)
{
    char config[8192] = "driver (name \"dummy\" rate 50 provides [", address[64];
    const ach_interface_t *interf;
    struct rig *rig;
    size_t i;

    for (i = 0; (interf = ach_interface_at(i)); i++)
        if (interf->code != 1)
            snprintf(config + strlen(config), sizeof(config) - strlen(config), "\"%s:0\" ",
                     interf->name);
    strcat(config, "])");
    rig = rig_start(config);
    for (i = 0; (interf = ach_interface_at(i)); i++) {
        bool talks = false;
        ach_message_t *m;
        struct ear *ear;
        uint32_t j;

        if (interf->code == 1)
            continue;
        for (j = 0; j < interf->message_count; j++)
            talks |= interf->messages[j].type == ACH_MSG_DATA;
        snprintf(address, sizeof(address), "%s:0", interf->name);
        ear = ear_open(rig, address);
        m = ear_next(ear, talks ? RIG_PATIENCE : 0.05);
        if (!CHECK(talks == (m != NULL)))
            fprintf(stderr, "interface %s\n", interf->name);
        if (m)
            CHECK_OK(ach_message_check(m));
        ach_message_unref(m);
        ear_close(ear);
    }
    rig_end(rig);
}

int main(void)
{
    struct rig *rig =
        rig_start("driver (name \"dummy\" provides [\"position2d:0\" \"laser:0\"] rate 100)");

    test_position(rig);
    test_laser(rig);
    rig_end(rig);
    test_all();
    rig = rig_create(false);
    CHECK(rig_load(rig, "driver (name \"dummy\" provides [\"laser:0\"] rate 0)") != ACH_OK);
    CHECK(rig_logged(rig, "a rate above 0 and up to 100000"));
    rig_end(rig);
    return check_result();
}
