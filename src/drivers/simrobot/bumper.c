/* SPDX-License-Identifier: BSD-3-Clause */
/* bumper.c - bumpers around the robot; the first one is in front, then counter-clockwise */
#include <math.h>

#include "sim.h"

#define BUMPERS_MAX 64

static const uint8_t messages[][2] = {{ACH_MSG_REQ, ACH_BUMPER_REQ_GET_GEOM}, {0, 0}};

ach_status_t drv_sim_bumper_options(struct drv_sim *s, ach_section_t *o)
{
    int count = ach_section_int(o, "bumpers", 8);

    if (count < 1 || count > BUMPERS_MAX)
        ach_section_refuse(o, "bumpers", 0, "1 to 64");
    s->bumpers.count = count < 1 || count > BUMPERS_MAX ? 1 : (unsigned)count;
    s->bumpers.sensor.rate = 5;
    s->bumpers.pressed = -1;
    return drv_sim_provide(s, ACH_BUMPER_CODE, messages, &s->bumper);
}

static int pressed(const struct drv_sim *s)
{
    double turns = (s->motion.contact - s->bumpers.sensor.mount.pa) / (2 * M_PI);
    long i = lround(turns * s->bumpers.count), n = (long)s->bumpers.count;

    return s->motion.touching ? (int)((i % n + n) % n) : -1;
}

static ach_bumper_geom_t bumper_geom_of(const struct drv_sim *s, ach_bumper_define_t *bumpers)
{
    double each = 2 * M_PI / s->bumpers.count, r = s->motion.radius;
    unsigned i;

    for (i = 0; i < s->bumpers.count; i++) {
        ach_pose2d_t rim = {r * cos(i * each), r * sin(i * each), i * each};
        ach_pose2d_t at = drv_sim_on(&s->bumpers.sensor.mount, &rim);

        bumpers[i] = (ach_bumper_define_t){
            .pose = drv_sim_pose3d(&at), .length = (float)(r * each), .radius = (float)r};
    }
    return (ach_bumper_geom_t){.bumper_def_count = s->bumpers.count, .bumper_def = bumpers};
}

static void bumper_publish_geom(struct drv_sim *s)
{
    ach_bumper_define_t bumpers[BUMPERS_MAX];
    ach_bumper_geom_t geom = bumper_geom_of(s, bumpers);

    ach_driver_publish_at(s->driver, &s->bumper.address, ACH_BUMPER_DATA_GEOM, &geom,
                          drv_sim_now(s));
    s->bumpers.sensor.moved = false;
}

/* Publish at once when a bumper changes, and periodically. */
void drv_sim_bumper_publish(struct drv_sim *s)
{
    uint8_t states[BUMPERS_MAX] = {0};
    ach_bumper_data_t data = {.bumpers_count = s->bumpers.count, .bumpers = states};
    int now = pressed(s);

    if (!s->bumper.there)
        return;
    if (s->bumpers.sensor.moved)
        bumper_publish_geom(s);
    if (now == s->bumpers.pressed && !drv_sim_due(s, s->bumpers.sensor.rate))
        return;
    s->bumpers.pressed = now;
    if (now >= 0)
        states[now] = 1;
    ach_driver_publish_at(s->driver, &s->bumper.address, ACH_BUMPER_DATA_STATE, &data,
                          drv_sim_now(s));
}

ach_status_t drv_sim_bumper_process(struct drv_sim *s, const ach_message_t *m)
{
    ach_bumper_define_t bumpers[BUMPERS_MAX];
    ach_bumper_geom_t geom;

    if (!ach_message_is(m, NULL, ACH_MSG_REQ, ACH_BUMPER_REQ_GET_GEOM))
        return ACH_ENOTSUP;
    geom = bumper_geom_of(s, bumpers);
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &geom);
}
