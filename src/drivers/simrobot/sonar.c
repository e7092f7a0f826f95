/* SPDX-License-Identifier: BSD-3-Clause */
/* sonar.c - sonars around the robot */
#include <math.h>

#include "sim.h"

#define RAYS 5 /* simulated in each cone */

static const uint8_t messages[][2] = {
    {ACH_MSG_REQ, ACH_SONAR_REQ_GET_GEOM}, {ACH_MSG_REQ, ACH_SONAR_REQ_POWER}, {0, 0}};

/* The ring of a Pioneer: from left to right ahead, then from right to left behind. */
static const double pioneer[] = {90,  50,   30,   10,   -10, -30, -50, -90,
                                 -90, -130, -150, -170, 170, 150, 130, 90};

#define PIONEER_SONARS (sizeof(pioneer) / sizeof(pioneer[0]))

/* Spaced evenly; the first one points ahead, then counter-clockwise. */
static void spaced(struct drv_sim *s, int count)
{
    unsigned i;

    s->sonars.count = count < 1 || count > DRV_SIM_SONARS_MAX ? 1 : (unsigned)count;
    for (i = 0; i < s->sonars.count; i++)
        s->sonars.angles[i] = 2 * M_PI * i / s->sonars.count;
}

static void listed(struct drv_sim *s, ach_section_t *o, size_t count)
{
    size_t i;

    if (count > DRV_SIM_SONARS_MAX)
        ach_section_refuse(o, "sonar_angles", 0, "1 to 64 angles");
    s->sonars.count = count > DRV_SIM_SONARS_MAX ? DRV_SIM_SONARS_MAX : (unsigned)count;
    for (i = 0; i < s->sonars.count; i++)
        s->sonars.angles[i] = ach_section_tuple_angle(o, "sonar_angles", i, 0);
}

static void layout(struct drv_sim *s, ach_section_t *o)
{
    int count = ach_section_int(o, "sonars", (int)PIONEER_SONARS);
    size_t angles = ach_section_tuple_count(o, "sonar_angles"), i;

    if (count < 1 || count > DRV_SIM_SONARS_MAX)
        ach_section_refuse(o, "sonars", 0, "1 to 64");
    if (angles) {
        listed(s, o, angles);
    } else if (ach_section_has(o, "sonars")) {
        spaced(s, count);
    } else {
        s->sonars.count = PIONEER_SONARS;
        for (i = 0; i < PIONEER_SONARS; i++)
            s->sonars.angles[i] = pioneer[i] * M_PI / 180;
    }
}

ach_status_t drv_sim_sonar_options(struct drv_sim *s, ach_section_t *o)
{
    s->sonars.cone = ach_section_angle(o, "sonar_cone", M_PI / 12);
    s->sonars.max_range = ach_section_length(o, "sonar_range", 5);
    s->sonars.sensor.rate = ach_section_double(o, "sonar_rate", 10);
    if (!(s->sonars.max_range > 0 && s->sonars.max_range <= 100))
        ach_section_refuse(o, "sonar_range", 0, "a length above 0, and up to 100 m");
    layout(s, o);
    return drv_sim_provide(s, ACH_SONAR_CODE, messages, &s->sonar);
}

static ach_pose2d_t mount_of(const struct drv_sim *s, unsigned i)
{
    double a = s->sonars.angles[i], r = s->motion.radius;
    ach_pose2d_t rim = {r * cos(a), r * sin(a), a};

    return drv_sim_on(&s->sonars.sensor.mount, &rim);
}

/* The range of a sonar is that of the nearest obstacle in its cone. */
static double echo(const struct drv_sim *s, unsigned i)
{
    ach_pose2d_t mount = mount_of(s, i), at = drv_sim_on(&s->motion.truth, &mount);
    double best = s->sonars.max_range;
    int k;

    for (k = 0; k < RAYS; k++) {
        double off = s->sonars.cone * ((double)k / (RAYS - 1) - 0.5);

        best = fmin(best, drv_sim_world_ray(&s->world, at.px, at.py, at.pa + off, best));
    }
    return best;
}

static ach_sonar_geom_t sonar_geom_of(const struct drv_sim *s, ach_pose3d_t *poses)
{
    unsigned i;

    for (i = 0; i < s->sonars.count; i++) {
        ach_pose2d_t mount = mount_of(s, i);

        poses[i] = drv_sim_pose3d(&mount);
    }
    return (ach_sonar_geom_t){.poses_count = s->sonars.count, .poses = poses};
}

static void sonar_publish_geom(struct drv_sim *s)
{
    ach_pose3d_t poses[DRV_SIM_SONARS_MAX];
    ach_sonar_geom_t geom = sonar_geom_of(s, poses);

    ach_driver_publish_at(s->driver, &s->sonar.address, ACH_SONAR_DATA_GEOM, &geom, drv_sim_now(s));
    s->sonars.sensor.moved = false;
}

void drv_sim_sonar_publish(struct drv_sim *s)
{
    float ranges[DRV_SIM_SONARS_MAX];
    ach_sonar_data_t data = {.ranges_count = s->sonars.count, .ranges = ranges};
    unsigned i;

    if (!s->sonar.there)
        return;
    if (s->sonars.sensor.moved)
        sonar_publish_geom(s);
    if (s->sonars.sensor.off || !drv_sim_due(s, s->sonars.sensor.rate))
        return;
    for (i = 0; i < s->sonars.count; i++)
        ranges[i] = (float)echo(s, i);
    ach_driver_publish_at(s->driver, &s->sonar.address, ACH_SONAR_DATA_RANGES, &data,
                          drv_sim_now(s));
}

static ach_status_t sonar_power(struct drv_sim *s, const ach_message_t *m)
{
    const ach_sonar_power_config_t *body = ach_message_body(m);

    if (!body)
        return ACH_ENOTSUP;
    s->sonars.sensor.off = body->state == 0;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, NULL);
}

ach_status_t drv_sim_sonar_process(struct drv_sim *s, const ach_message_t *m)
{
    ach_pose3d_t poses[DRV_SIM_SONARS_MAX];
    ach_sonar_geom_t geom;

    if (ach_message_is(m, NULL, ACH_MSG_REQ, ACH_SONAR_REQ_POWER))
        return sonar_power(s, m);
    if (!ach_message_is(m, NULL, ACH_MSG_REQ, ACH_SONAR_REQ_GET_GEOM))
        return ACH_ENOTSUP;
    geom = sonar_geom_of(s, poses);
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &geom);
}
