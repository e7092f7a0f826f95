/* SPDX-License-Identifier: BSD-3-Clause */
/* laser.c - the scanner as a laser device */
#include "sim.h"

static const uint8_t messages[][2] = {
    {ACH_MSG_REQ, ACH_LASER_REQ_GET_GEOM},   {ACH_MSG_REQ, ACH_LASER_REQ_GET_CONFIG},
    {ACH_MSG_REQ, ACH_LASER_REQ_SET_CONFIG}, {ACH_MSG_REQ, ACH_LASER_REQ_POWER},
    {ACH_MSG_REQ, ACH_LASER_REQ_GET_ID},     {0, 0}};

ach_status_t drv_sim_laser_options(struct drv_sim *s, ach_section_t *o)
{
    (void)o;
    return drv_sim_provide(s, ACH_LASER_CODE, messages, &s->laser);
}

/* The first scan after the laser was moved carries its new pose. */
void drv_sim_laser_publish(struct drv_sim *s)
{
    const struct drv_sim_scanner *c = &s->scanner;
    ach_laser_data_scanpose_t data = {.scan = {.min_angle = (float)c->min_angle,
                                               .max_angle = (float)c->max_angle,
                                               .resolution = (float)c->resolution,
                                               .max_range = (float)c->max_range,
                                               .ranges_count = c->count,
                                               .ranges = c->ranges,
                                               .id = c->id}};

    if (!s->laser.there)
        return;
    data.pose = drv_sim_on(&s->motion.truth, &c->sensor.mount);
    if (c->sensor.moved)
        ach_driver_publish_at(s->driver, &s->laser.address, ACH_LASER_DATA_SCANPOSE, &data,
                              drv_sim_now(s));
    else
        ach_driver_publish_at(s->driver, &s->laser.address, ACH_LASER_DATA_SCAN, &data.scan,
                              drv_sim_now(s));
}

static ach_laser_config_t config_of(const struct drv_sim_scanner *c)
{
    return (ach_laser_config_t){.min_angle = (float)c->min_angle,
                                .max_angle = (float)c->max_angle,
                                .resolution = (float)c->resolution,
                                .max_range = (float)c->max_range,
                                .range_res = 0.001f,
                                .scanning_frequency = (float)c->sensor.rate};
}

static ach_status_t laser_reply_config(struct drv_sim *s, const ach_message_t *m)
{
    ach_laser_config_t config = config_of(&s->scanner);

    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &config);
}

static ach_status_t laser_set_config(struct drv_sim *s, const ach_message_t *m)
{
    const ach_laser_config_t *b = ach_message_body(m);

    if (!b || !drv_sim_scanner_change(&s->scanner, (double)b->min_angle, (double)b->max_angle,
                                      (double)b->resolution, (double)b->max_range))
        return ACH_ENOTSUP;
    if (b->scanning_frequency > 0)
        s->scanner.sensor.rate = (double)b->scanning_frequency;
    return laser_reply_config(s, m);
}

static ach_status_t laser_get_geom(struct drv_sim *s, const ach_message_t *m)
{
    ach_laser_geom_t geom = {.pose = drv_sim_pose3d(&s->scanner.sensor.mount),
                             .size = {.sw = 0.05, .sl = 0.05, .sh = 0.07}};

    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &geom);
}

static ach_status_t laser_power(struct drv_sim *s, const ach_message_t *m)
{
    const ach_laser_power_config_t *body = ach_message_body(m);

    if (!body)
        return ACH_ENOTSUP;
    s->scanner.sensor.off = body->state == 0;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, NULL);
}

ach_status_t drv_sim_laser_process(struct drv_sim *s, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    ach_laser_get_id_config_t id = {.serial_number = (uint32_t)s->seed};

    if (h->type != ACH_MSG_REQ)
        return ACH_ENOTSUP;
    switch (h->subtype) {
    case ACH_LASER_REQ_GET_GEOM:
        return laser_get_geom(s, m);
    case ACH_LASER_REQ_GET_CONFIG:
        return laser_reply_config(s, m);
    case ACH_LASER_REQ_SET_CONFIG:
        return laser_set_config(s, m);
    case ACH_LASER_REQ_POWER:
        return laser_power(s, m);
    case ACH_LASER_REQ_GET_ID:
        return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &id);
    }
    return ACH_ENOTSUP;
}
