/* SPDX-License-Identifier: BSD-3-Clause */
/* ranger.c - the same scanner as a ranger device */
#include <stdlib.h>

#include "sim.h"

static const uint8_t messages[][2] = {{ACH_MSG_REQ, ACH_RANGER_REQ_GET_GEOM},
                                      {ACH_MSG_REQ, ACH_RANGER_REQ_GET_CONFIG},
                                      {ACH_MSG_REQ, ACH_RANGER_REQ_SET_CONFIG},
                                      {ACH_MSG_REQ, ACH_RANGER_REQ_POWER},
                                      {0, 0}};

ach_status_t drv_sim_ranger_options(struct drv_sim *s, ach_section_t *o)
{
    (void)o;
    return drv_sim_provide(s, ACH_RANGER_CODE, messages, &s->ranger);
}

/* All rays begin at one point: so there is one element, with the pose of the device. */
static ach_ranger_geom_t ranger_geom_of(const struct drv_sim *s, ach_pose3d_t *element,
                                        ach_bbox3d_t *size)
{
    *element = drv_sim_pose3d(&s->scanner.sensor.mount);
    *size = (ach_bbox3d_t){.sw = 0.05, .sl = 0.05, .sh = 0.07};
    return (ach_ranger_geom_t){.pose = *element,
                               .size = *size,
                               .element_poses_count = 1,
                               .element_poses = element,
                               .element_sizes_count = 1,
                               .element_sizes = size};
}

static void ranger_publish_geom(struct drv_sim *s)
{
    ach_pose3d_t element;
    ach_bbox3d_t size;
    ach_ranger_geom_t geom = ranger_geom_of(s, &element, &size);

    ach_driver_publish_at(s->driver, &s->ranger.address, ACH_RANGER_DATA_GEOM, &geom,
                          drv_sim_now(s));
}

void drv_sim_ranger_publish(struct drv_sim *s)
{
    const struct drv_sim_scanner *c = &s->scanner;
    ach_ranger_data_range_t data = {.ranges_count = c->count};
    unsigned i;

    if (!s->ranger.there)
        return;
    if (c->sensor.moved)
        ranger_publish_geom(s);
    data.ranges = malloc(c->count * sizeof(*data.ranges));
    if (!data.ranges)
        return;
    for (i = 0; i < c->count; i++)
        data.ranges[i] = (double)c->ranges[i];
    ach_driver_publish_at(s->driver, &s->ranger.address, ACH_RANGER_DATA_RANGE, &data,
                          drv_sim_now(s));
    free(data.ranges);
}

static ach_status_t ranger_reply_config(struct drv_sim *s, const ach_message_t *m)
{
    const struct drv_sim_scanner *c = &s->scanner;
    ach_ranger_config_t config = {.min_angle = c->min_angle,
                                  .max_angle = c->max_angle,
                                  .angular_res = c->resolution,
                                  .max_range = c->max_range,
                                  .range_res = 0.001,
                                  .frequency = c->sensor.rate};

    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &config);
}

static ach_status_t ranger_set_config(struct drv_sim *s, const ach_message_t *m)
{
    const ach_ranger_config_t *b = ach_message_body(m);

    if (!b || !drv_sim_scanner_change(&s->scanner, b->min_angle, b->max_angle, b->angular_res,
                                      b->max_range))
        return ACH_ENOTSUP;
    if (b->frequency > 0)
        s->scanner.sensor.rate = b->frequency;
    return ranger_reply_config(s, m);
}

static ach_status_t ranger_get_geom(struct drv_sim *s, const ach_message_t *m)
{
    ach_pose3d_t element;
    ach_bbox3d_t size;
    ach_ranger_geom_t geom = ranger_geom_of(s, &element, &size);

    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &geom);
}

static ach_status_t ranger_power(struct drv_sim *s, const ach_message_t *m)
{
    const ach_ranger_power_config_t *body = ach_message_body(m);

    if (!body)
        return ACH_ENOTSUP;
    s->scanner.sensor.off = body->state == 0;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, NULL);
}

ach_status_t drv_sim_ranger_process(struct drv_sim *s, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);

    if (h->type != ACH_MSG_REQ)
        return ACH_ENOTSUP;
    switch (h->subtype) {
    case ACH_RANGER_REQ_GET_GEOM:
        return ranger_get_geom(s, m);
    case ACH_RANGER_REQ_GET_CONFIG:
        return ranger_reply_config(s, m);
    case ACH_RANGER_REQ_SET_CONFIG:
        return ranger_set_config(s, m);
    case ACH_RANGER_REQ_POWER:
        return ranger_power(s, m);
    }
    return ACH_ENOTSUP;
}
