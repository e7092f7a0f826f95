/* SPDX-License-Identifier: BSD-3-Clause */
/* fakelocalize.c - the pose of the simulated robot arrives as an estimate */
#include <ach/interface/localize.h>
#include <ach/interface/position2d.h>
#include <math.h>

#include "../simrobot/draw.h"
#include "rig.h"

static struct rig *load(struct drawing *world, const char *model)
{
    char text[1024];

    *world = draw_room(6, 4, 0.05);
    draw_save(world);
    snprintf(text, sizeof(text),
             "driver (name \"simrobot\" provides [\"position2d:0\" \"simulation:0\"]\n"
             "        bitmap \"%s\" pose [1 2 90])\n"
             "driver (name \"fakelocalize\" provides [\"localize:0\" \"position2d:1\"]\n"
             "        requires [\"simulation:0\"] model \"%s\" sleep_nsec 10000000)",
             world->path, model);
    return rig_start(text);
}

static bool near(const ach_pose2d_t *pose, double x, double y, double a)
{
    return fabs(pose->px - x) < 1e-6 && fabs(pose->py - y) < 1e-6 && fabs(pose->pa - a) < 1e-6;
}

static void check_particles(struct ear *localize, double x, double y, double a)
{
    ach_message_t *m = ear_request(localize, ACH_LOCALIZE_REQ_GET_PARTICLES, NULL);
    const ach_localize_get_particles_t *body = ach_message_body(m);

    REQUIRE(body);
    CHECK(body->particles_count == 1 && body->variance == 0 && near(&body->mean, x, y, a));
    CHECK(body->particles_count == 1 && near(&body->particles[0].pose, x, y, a));
    ach_message_unref(m);
}

static void test_pose(void)
{
    struct drawing world;
    struct rig *rig = load(&world, "robot");
    struct ear *localize = ear_open(rig, "localize:0"), *position = ear_open(rig, "position2d:1");
    ach_message_t *m = ear_data(localize, ACH_LOCALIZE_DATA_HYPOTHS);
    const ach_localize_data_t *estimate = ach_message_body(m);
    ach_localize_set_pose_t to = {.mean = {3, 1, 0}};

    REQUIRE(estimate);
    CHECK(estimate->pending_count == 0 && estimate->hypoths_count == 1);
    CHECK(estimate->hypoths_count == 1 && near(&estimate->hypoths[0].mean, 1, 2, M_PI / 2));
    ach_message_unref(m);
    m = ear_data(position, ACH_POSITION2D_DATA_STATE);
    CHECK(near(&((const ach_position2d_data_t *)ach_message_body(m))->pos, 1, 2, M_PI / 2));
    ach_message_unref(m);
    check_particles(localize, 1, 2, M_PI / 2);
    CHECK(ear_acked(localize, ACH_LOCALIZE_REQ_SET_POSE, &to));
    check_particles(localize, 3, 1, 0);
    to.mean.px = -1; /* in the wall: the simulation refuses it */
    CHECK(!ear_acked(localize, ACH_LOCALIZE_REQ_SET_POSE, &to));
    CHECK(!ear_acked(localize, ACH_LOCALIZE_REQ_SET_POSE, NULL));
    ear_close(position);
    ear_close(localize);
    rig_end(rig);
    draw_end(&world);
}

static void test_wrong(void)
{
    struct drawing world;
    struct rig *rig = load(&world, "nobody");
    struct ear *localize = ear_open(rig, "localize:0");

    CHECK(rig_logged(rig, "the simulation does not tell the pose of nobody"));
    CHECK(!ear_acked(localize, ACH_LOCALIZE_REQ_GET_PARTICLES, NULL));
    CHECK(!ear_next(localize, 0.1));
    CHECK(rig_count(rig, "the pose of nobody") == 1); /* logged once only */
    ear_close(localize);
    rig_end(rig);
    draw_end(&world);

    rig_refuses("driver (name \"null\" provides [\"simulation:0\"])\n"
                "driver (name \"fakelocalize\" provides [\"localize:0\"]\n"
                "        requires [\"simulation:0\"])",
                "found no 'model'");
    rig_refuses("driver (name \"null\" provides [\"simulation:0\"])\n"
                "driver (name \"fakelocalize\" provides [\"laser:0\"] model \"x\"\n"
                "        requires [\"simulation:0\"])",
                "names neither a localize nor a position2d device");
}

int main(void)
{
    test_pose();
    test_wrong();
    return check_result();
}
