/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lasertoranger - a laser as a ranger
 *
 * Scans become ranges, and intensities if there are any; a scan with a pose
 * becomes ranges with a geometry. Geometry and configuration are those of the laser.
 */
#include <ach.h>
#include <ach/interface/laser.h>
#include <ach/interface/ranger.h>
#include <stdlib.h>

#include "../common/convert.h"
#include "../drivers.h"

static ach_status_t lasertoranger_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static const struct drv_conversion conversion = {
        .here = ACH_RANGER_CODE,
        .there = ACH_LASER_CODE,
        .requests = {ACH_RANGER_REQ_GET_GEOM, ACH_RANGER_REQ_POWER, ACH_RANGER_REQ_INTNS,
                     ACH_RANGER_REQ_SET_CONFIG, ACH_RANGER_REQ_GET_CONFIG}};

    (void)options;
    return drv_convert_create(driver, &conversion, sizeof(struct drv_convert), state);
}

/* Request the geometry at setup, so that it is published as data from the beginning. */
static ach_status_t lasertoranger_setup(ach_driver_t *driver, void *state)
{
    drv_convert_ask(driver, state, ACH_LASER_REQ_GET_GEOM);
    return ACH_OK;
}

static ach_ranger_geom_t lasertoranger_geom_of(const ach_laser_geom_t *laser)
{
    return (ach_ranger_geom_t){.pose = laser->pose, .size = laser->size};
}

static double *widen(const float *from, uint32_t n)
{
    double *to = malloc((n ? n : 1) * sizeof(*to));
    uint32_t i;

    for (i = 0; to && i < n; i++)
        to[i] = (double)from[i];
    return to;
}

static ach_status_t publish_intensities(ach_driver_t *driver, const struct drv_convert *c,
                                        const uint8_t *from, uint32_t n, double time)
{
    ach_ranger_data_intns_t body = {.intensities_count = n};
    ach_status_t status;
    uint32_t i;

    if (!n)
        return ACH_OK;
    body.intensities = malloc(n * sizeof(*body.intensities));
    if (!body.intensities)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a scan");
    for (i = 0; i < n; i++)
        body.intensities[i] = from[i];
    status = ach_driver_publish_at(driver, &c->here, ACH_RANGER_DATA_INTNS, &body, time);
    free(body.intensities);
    return status;
}

/* @pose: of the device, when the scan was made; NULL: unknown. */
static ach_status_t lasertoranger_publish(ach_driver_t *driver, const struct drv_convert *c,
                                          const float *ranges, uint32_t n, const ach_pose2d_t *pose,
                                          double time)
{
    ach_ranger_data_rangestamped_t body = {.data = {.ranges_count = n}};
    ach_status_t status;

    body.data.ranges = widen(ranges, n);
    if (!body.data.ranges)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a scan");
    if (pose) {
        body.have_geom = 1;
        body.geom.pose = (ach_pose3d_t){.px = pose->px, .py = pose->py, .pyaw = pose->pa};
        status = ach_driver_publish_at(driver, &c->here, ACH_RANGER_DATA_RANGESTAMPED, &body, time);
    } else
        status = ach_driver_publish_at(driver, &c->here, ACH_RANGER_DATA_RANGE, &body.data, time);
    free(body.data.ranges);
    return status;
}

static ach_status_t lasertoranger_data(ach_driver_t *driver, const struct drv_convert *c,
                                       const ach_message_t *m)
{
    double time = ach_message_header(m)->timestamp;
    const void *body = ach_message_body(m);
    const ach_laser_data_scanpose_t *posed = body;
    const ach_laser_data_scanangle_t *angles = body;
    const ach_laser_data_t *scan = body;
    ach_status_t status;

    if (!body)
        return ACH_ENOTSUP;
    switch (ach_message_header(m)->subtype) {
    case ACH_LASER_DATA_SCAN:
        status = lasertoranger_publish(driver, c, scan->ranges, scan->ranges_count, NULL, time);
        break;
    case ACH_LASER_DATA_SCANPOSE:
        scan = &posed->scan;
        status =
            lasertoranger_publish(driver, c, scan->ranges, scan->ranges_count, &posed->pose, time);
        break;
    case ACH_LASER_DATA_SCANANGLE:
        status = lasertoranger_publish(driver, c, angles->ranges, angles->ranges_count, NULL, time);
        return status == ACH_OK ? publish_intensities(driver, c, angles->intensity,
                                                      angles->intensity_count, time)
                                : status;
    default:
        return ACH_ENOTSUP;
    }
    return status == ACH_OK
               ? publish_intensities(driver, c, scan->intensity, scan->intensity_count, time)
               : status;
}

static ach_laser_config_t lasertoranger_laser_config(const ach_ranger_config_t *r)
{
    return (ach_laser_config_t){.min_angle = (float)r->min_angle,
                                .max_angle = (float)r->max_angle,
                                .resolution = (float)r->angular_res,
                                .max_range = (float)r->max_range,
                                .range_res = (float)r->range_res,
                                .scanning_frequency = (float)r->frequency};
}

static ach_ranger_config_t lasertoranger_ranger_config(const ach_laser_config_t *l)
{
    return (ach_ranger_config_t){.min_angle = (double)l->min_angle,
                                 .max_angle = (double)l->max_angle,
                                 .angular_res = (double)l->resolution,
                                 .max_range = (double)l->max_range,
                                 .range_res = (double)l->range_res,
                                 .frequency = (double)l->scanning_frequency};
}

static ach_status_t lasertoranger_request(ach_driver_t *driver, struct drv_convert *c,
                                          const ach_message_t *m)
{
    const void *body = ach_message_body(m);
    ach_laser_power_config_t power = {0};
    ach_laser_config_t config;

    switch (ach_message_header(m)->subtype) {
    case ACH_RANGER_REQ_GET_GEOM:
        return drv_pending_other(&c->asked, driver, &c->there, ACH_LASER_REQ_GET_GEOM, NULL, m);
    case ACH_RANGER_REQ_GET_CONFIG:
    case ACH_RANGER_REQ_INTNS: /* part of the laser's configuration, so request that first */
        return drv_pending_other(&c->asked, driver, &c->there, ACH_LASER_REQ_GET_CONFIG, NULL, m);
    case ACH_RANGER_REQ_SET_CONFIG:
        if (!body)
            return ACH_ENOTSUP;
        config = lasertoranger_laser_config(body);
        return drv_pending_other(&c->asked, driver, &c->there, ACH_LASER_REQ_SET_CONFIG, &config,
                                 m);
    case ACH_RANGER_REQ_POWER:
        if (!body)
            return ACH_ENOTSUP;
        power.state = ((const ach_ranger_power_config_t *)body)->state;
        return drv_pending_other(&c->asked, driver, &c->there, ACH_LASER_REQ_POWER, &power, m);
    default:
        return ACH_ENOTSUP;
    }
}

/* Set the laser's current configuration again, with intensities on or off. */
static ach_status_t set_intensities(ach_driver_t *driver, struct drv_convert *c,
                                    const ach_laser_config_t *now, const ach_message_t *request)
{
    const ach_ranger_intns_config_t *wanted = ach_message_body(request);
    ach_laser_config_t config = *now;

    if (!wanted)
        return ACH_ENOTSUP;
    config.intensity = wanted->state != 0;
    return drv_pending_other(&c->asked, driver, &c->there, ACH_LASER_REQ_SET_CONFIG, &config,
                             request);
}

/* Translate the laser's answer for the client that asked. @request: NULL: setup asked. */
static ach_status_t lasertoranger_translate(ach_driver_t *driver, struct drv_convert *c,
                                            const ach_message_t *answer,
                                            const ach_message_t *request)
{
    uint8_t asked = ach_message_header(answer)->subtype;
    const void *body = ach_message_body(answer);
    uint8_t wanted = request ? ach_message_header(request)->subtype : ACH_RANGER_REQ_GET_GEOM;
    ach_ranger_config_t config;
    ach_ranger_geom_t geom;

    if (asked == ACH_LASER_REQ_GET_GEOM && body) {
        geom = lasertoranger_geom_of(body);
        if (request)
            ach_driver_reply(driver, request, ACH_MSG_ACK, &geom);
        return drv_convert_moved(driver, c, &ach_ranger_geom_type, ACH_RANGER_DATA_GEOM, &geom);
    }
    if (asked == ACH_LASER_REQ_GET_CONFIG && body && wanted == ACH_RANGER_REQ_INTNS)
        return set_intensities(driver, c, body, request);
    if ((asked == ACH_LASER_REQ_GET_CONFIG || asked == ACH_LASER_REQ_SET_CONFIG) && body &&
        wanted != ACH_RANGER_REQ_INTNS) {
        config = lasertoranger_ranger_config(body);
        return ach_driver_reply(driver, request, ACH_MSG_ACK, &config);
    }
    return ach_driver_reply(driver, request, ACH_MSG_ACK, NULL);
}

static ach_status_t lasertoranger_answered(ach_driver_t *driver, struct drv_convert *c,
                                           const ach_message_t *answer)
{
    ach_message_t *request = drv_pending_take(&c->asked, answer);
    bool ours = !request && ach_message_header(answer)->subtype == ACH_LASER_REQ_GET_GEOM;
    ach_status_t status = ACH_OK;

    if (ach_message_header(answer)->type == ACH_MSG_ACK && (request || ours))
        status = lasertoranger_translate(driver, c, answer, request);
    ach_message_unref(request); /* sends a NACK if it was not answered */
    return status;
}

static ach_status_t lasertoranger_process(ach_driver_t *driver, void *state,
                                          const ach_message_t *message)
{
    struct drv_convert *c = state;

    switch (ach_message_header(message)->type) {
    case ACH_MSG_DATA:
        return lasertoranger_data(driver, c, message);
    case ACH_MSG_REQ:
        return lasertoranger_request(driver, c, message);
    case ACH_MSG_ACK:
    case ACH_MSG_NACK:
        return lasertoranger_answered(driver, c, message);
    default:
        return ACH_ENOTSUP;
    }
}

const ach_driver_class_t drv_driver_lasertoranger = {
    .version = ACH_DRIVER_VERSION,
    .name = "lasertoranger",
    .create = lasertoranger_create,
    .destroy = drv_convert_destroy,
    .setup = lasertoranger_setup,
    .shutdown = drv_convert_shutdown,
    .process = lasertoranger_process,
};
