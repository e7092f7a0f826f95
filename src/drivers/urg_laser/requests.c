/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c - the scanner as a laser device */
#include <math.h>

#include "urg.h"

/* Error codes and ranges out of limits become the maximum range. */
static float metres(const struct drv_urg_model *m, uint32_t mm)
{
    return (float)(mm < m->min_mm || mm > m->max_mm ? m->max_mm : mm) / 1000;
}

void drv_urg_publish(struct drv_urg *u)
{
    const struct drv_urg_measure *m = &u->measure;
    double each = drv_urg_step_angle(&u->model) * m->cluster;
    ach_laser_data_t data = {.min_angle = (float)drv_urg_angle(&u->model, m->first),
                             .resolution = (float)each,
                             .max_range = (float)u->model.max_mm / 1000,
                             .ranges_count = u->scan.count,
                             .ranges = u->ranges,
                             .id = (uint32_t)u->scans};
    unsigned i;

    data.max_angle = data.min_angle + (float)(each * (u->scan.count - 1));
    for (i = 0; i < u->scan.count; i++)
        u->ranges[i] = metres(&u->model, u->scan.ranges[i]);
    ach_driver_publish(u->driver, &u->address, ACH_LASER_DATA_SCAN, &data);
}

static ach_status_t requests_reply_config(struct drv_urg *u, const ach_message_t *m)
{
    const struct drv_urg_measure *s = &u->measure;
    ach_laser_config_t config = {.min_angle = (float)drv_urg_angle(&u->model, s->first),
                                 .max_angle = (float)drv_urg_angle(&u->model, s->last),
                                 .resolution = (float)(drv_urg_step_angle(&u->model) * s->cluster),
                                 .max_range = (float)u->model.max_mm / 1000,
                                 .range_res = 0.001f,
                                 .scanning_frequency = (float)drv_urg_frequency(u)};

    return ach_driver_reply(u->driver, m, ACH_MSG_ACK, &config);
}

/* A resolution of 0 keeps the current cluster. */
static unsigned cluster_for(const struct drv_urg *u, float resolution)
{
    if (!(resolution > 0))
        return u->measure.cluster;
    return (unsigned)fmin(99, fmax(1, round((double)resolution / drv_urg_step_angle(&u->model))));
}

static unsigned skip_for(const struct drv_urg *u, float frequency)
{
    if (!(frequency > 0))
        return u->measure.skip;
    return (unsigned)fmin(9, fmax(0, round(u->model.rpm / 60.0 / (double)frequency - 1)));
}

static ach_status_t requests_set_config(struct drv_urg *u, const ach_message_t *m)
{
    const ach_laser_config_t *c = ach_message_body(m);
    struct drv_urg_measure measure;

    if (u->port.fd < 0 || !c ||
        !drv_urg_measure_for(&u->model, (double)c->min_angle, (double)c->max_angle,
                             cluster_for(u, c->resolution), skip_for(u, c->scanning_frequency),
                             &measure))
        return ACH_ENOTSUP;
    u->measure = measure;
    u->min_angle = (double)c->min_angle;
    u->max_angle = (double)c->max_angle;
    u->cluster = measure.cluster;
    u->skip = measure.skip;
    if (u->power && !drv_urg_begin(u))
        return ACH_ENOTSUP;
    return requests_reply_config(u, m);
}

static ach_status_t requests_power(struct drv_urg *u, const ach_message_t *m)
{
    const ach_laser_power_config_t *c = ach_message_body(m);

    if (u->port.fd < 0 || !c)
        return ACH_ENOTSUP;
    u->power = c->state != 0;
    if (!(u->power ? drv_urg_begin(u) : drv_urg_end(u)))
        return ACH_ENOTSUP;
    return ach_driver_reply(u->driver, m, ACH_MSG_ACK, NULL);
}

ach_status_t drv_urg_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct drv_urg *u = state;
    const ach_header_t *h = ach_message_header(message);
    ach_laser_get_id_config_t id = {.serial_number = u->model.serial};

    if (h->type != ACH_MSG_REQ)
        return ACH_ENOTSUP;
    switch (h->subtype) {
    case ACH_LASER_REQ_GET_GEOM:
        return ach_driver_reply(driver, message, ACH_MSG_ACK, &u->geom);
    case ACH_LASER_REQ_GET_CONFIG:
        return requests_reply_config(u, message);
    case ACH_LASER_REQ_SET_CONFIG:
        return requests_set_config(u, message);
    case ACH_LASER_REQ_POWER:
        return requests_power(u, message);
    case ACH_LASER_REQ_GET_ID:
        return ach_driver_reply(driver, message, ACH_MSG_ACK, &id);
    }
    return ACH_ENOTSUP;
}
