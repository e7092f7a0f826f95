/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rangertolaser - a ranger as a laser
 *
 * A laser scan contains its angles, ranger data does not: they are in the ranger's configuration,
 * which is requested until it is known. Intensities arrive in a separate message; the last ones are
 * added to the next scan. Ranges with a geometry become a scan with a pose.
 */
#include <ach.h>
#include <ach/interface/laser.h>
#include <ach/interface/ranger.h>
#include <math.h>
#include <stdlib.h>

#include "../common/convert.h"
#include "../drivers.h"

struct rangertolaser_ranger {
    struct drv_convert convert;
    bool known;  /* config was received from the ranger */
    bool warned; /* that the ranger does not report its configuration */
    ach_ranger_config_t config;
    uint8_t *intensities;
    uint32_t intensity_count;
    uint32_t scans;
};

static ach_status_t rangertolaser_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static const struct drv_conversion conversion = {
        .here = ACH_LASER_CODE,
        .there = ACH_RANGER_CODE,
        .requests = {ACH_LASER_REQ_GET_GEOM, ACH_LASER_REQ_SET_CONFIG, ACH_LASER_REQ_GET_CONFIG,
                     ACH_LASER_REQ_POWER}};

    (void)options;
    return drv_convert_create(driver, &conversion, sizeof(struct rangertolaser_ranger), state);
}

static ach_status_t ask_config(ach_driver_t *driver, struct rangertolaser_ranger *r)
{
    struct drv_convert *c = &r->convert;

    return drv_pending_other(&c->asked, driver, &c->there, ACH_RANGER_REQ_GET_CONFIG, NULL, NULL);
}

static ach_status_t rangertolaser_setup(ach_driver_t *driver, void *state)
{
    struct rangertolaser_ranger *r = state;

    r->known = r->warned = false;
    ask_config(driver, r);
    return ACH_OK;
}

static void rangertolaser_shut_down(ach_driver_t *driver, void *state)
{
    struct rangertolaser_ranger *r = state;

    drv_convert_shutdown(driver, &r->convert);
    free(r->intensities);
    r->intensities = NULL;
    r->intensity_count = 0;
}

static void rangertolaser_learn(struct rangertolaser_ranger *r, const ach_ranger_config_t *config)
{
    r->config = *config;
    r->known = true;
}

/* A ranger with few elements may report 0 as the angle between them. */
static double angle_between(const ach_ranger_config_t *c, uint32_t n)
{
    if (c->angular_res > 0 || n < 2)
        return c->angular_res;
    return (c->max_angle - c->min_angle) / (n - 1);
}

static ach_status_t rangertolaser_publish(ach_driver_t *driver, struct rangertolaser_ranger *r,
                                          const ach_ranger_data_range_t *from,
                                          const ach_pose3d_t *pose, double time)
{
    const ach_ranger_config_t *c = &r->config;
    uint32_t i, n = from->ranges_count;
    ach_laser_data_scanpose_t body = {
        .scan = {.min_angle = (float)c->min_angle,
                 .max_angle = (float)c->max_angle,
                 .resolution = (float)angle_between(c, n),
                 .max_range = (float)c->max_range,
                 .ranges_count = n,
                 .intensity_count = r->intensity_count == n ? n : 0,
                 .intensity = r->intensities,
                 .id = r->scans++},
    };
    ach_status_t status;

    body.scan.ranges = malloc((n ? n : 1) * sizeof(*body.scan.ranges));
    if (!body.scan.ranges)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a scan");
    for (i = 0; i < n; i++)
        body.scan.ranges[i] = (float)from->ranges[i];
    if (pose) {
        body.pose = (ach_pose2d_t){pose->px, pose->py, pose->pyaw};
        status =
            ach_driver_publish_at(driver, &r->convert.here, ACH_LASER_DATA_SCANPOSE, &body, time);
    } else
        status =
            ach_driver_publish_at(driver, &r->convert.here, ACH_LASER_DATA_SCAN, &body.scan, time);
    free(body.scan.ranges);
    return status;
}

/* Keep the intensities for the next scan, as bytes. */
static ach_status_t keep_intensities(struct rangertolaser_ranger *r,
                                     const ach_ranger_data_intns_t *from)
{
    uint32_t i, n = from->intensities_count;
    uint8_t *kept = malloc(n ? n : 1);

    if (!kept)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for intensities");
    for (i = 0; i < n; i++) {
        double v = from->intensities[i];

        kept[i] = (uint8_t)(v > 255 ? 255 : v > 0 ? lround(v) : 0);
    }
    free(r->intensities);
    r->intensities = kept;
    r->intensity_count = n;
    return ACH_OK;
}

static ach_status_t stamped(ach_driver_t *driver, struct rangertolaser_ranger *r,
                            const ach_ranger_data_rangestamped_t *from, double time)
{
    if (from->have_config)
        rangertolaser_learn(r, &from->config);
    if (!r->known)
        return ask_config(driver, r);
    return rangertolaser_publish(driver, r, &from->data, from->have_geom ? &from->geom.pose : NULL,
                                 time);
}

static ach_status_t rangertolaser_data(ach_driver_t *driver, struct rangertolaser_ranger *r,
                                       const ach_message_t *m)
{
    double time = ach_message_header(m)->timestamp;
    const void *body = ach_message_body(m);

    if (!body)
        return ACH_ENOTSUP;
    switch (ach_message_header(m)->subtype) {
    case ACH_RANGER_DATA_RANGE:
        return r->known ? rangertolaser_publish(driver, r, body, NULL, time)
                        : ask_config(driver, r);
    case ACH_RANGER_DATA_RANGESTAMPED:
        return stamped(driver, r, body, time);
    case ACH_RANGER_DATA_INTNS:
        return keep_intensities(r, body);
    case ACH_RANGER_DATA_INTNSSTAMPED:
        return keep_intensities(r, &((const ach_ranger_data_intnsstamped_t *)body)->data);
    default:
        return ACH_OK;
    }
}

static ach_laser_config_t rangertolaser_laser_config(const struct rangertolaser_ranger *r,
                                                     const ach_ranger_config_t *c)
{
    return (ach_laser_config_t){.min_angle = (float)c->min_angle,
                                .max_angle = (float)c->max_angle,
                                .resolution = (float)c->angular_res,
                                .max_range = (float)c->max_range,
                                .range_res = (float)c->range_res,
                                .intensity = r->intensity_count > 0,
                                .scanning_frequency = (float)c->frequency};
}

static ach_ranger_config_t rangertolaser_ranger_config(const struct rangertolaser_ranger *r,
                                                       const ach_laser_config_t *l)
{
    return (ach_ranger_config_t){.min_angle = (double)l->min_angle,
                                 .max_angle = (double)l->max_angle,
                                 .angular_res = (double)l->resolution,
                                 .min_range = r->config.min_range,
                                 .max_range = (double)l->max_range,
                                 .range_res = (double)l->range_res,
                                 .frequency = (double)l->scanning_frequency};
}

static ach_status_t rangertolaser_request(ach_driver_t *driver, struct rangertolaser_ranger *r,
                                          const ach_message_t *m)
{
    struct drv_convert *c = &r->convert;
    const void *body = ach_message_body(m);
    ach_ranger_power_config_t power;
    ach_ranger_config_t config;

    switch (ach_message_header(m)->subtype) {
    case ACH_LASER_REQ_GET_GEOM:
        return drv_pending_other(&c->asked, driver, &c->there, ACH_RANGER_REQ_GET_GEOM, NULL, m);
    case ACH_LASER_REQ_GET_CONFIG:
        return drv_pending_other(&c->asked, driver, &c->there, ACH_RANGER_REQ_GET_CONFIG, NULL, m);
    case ACH_LASER_REQ_SET_CONFIG:
        if (!body)
            return ACH_ENOTSUP;
        config = rangertolaser_ranger_config(r, body);
        return drv_pending_other(&c->asked, driver, &c->there, ACH_RANGER_REQ_SET_CONFIG, &config,
                                 m);
    case ACH_LASER_REQ_POWER:
        if (!body)
            return ACH_ENOTSUP;
        power.state = ((const ach_laser_power_config_t *)body)->state;
        return drv_pending_other(&c->asked, driver, &c->there, ACH_RANGER_REQ_POWER, &power, m);
    default:
        return ACH_ENOTSUP;
    }
}

static ach_status_t rangertolaser_translate(ach_driver_t *driver, struct rangertolaser_ranger *r,
                                            const ach_message_t *answer,
                                            const ach_message_t *request)
{
    uint8_t subtype = ach_message_header(answer)->subtype;
    const void *body = ach_message_body(answer);
    const ach_ranger_geom_t *geom = body;
    ach_laser_config_t config;

    if (body && (subtype == ACH_RANGER_REQ_GET_CONFIG || subtype == ACH_RANGER_REQ_SET_CONFIG)) {
        rangertolaser_learn(r, body);
        config = rangertolaser_laser_config(r, body);
        return request ? ach_driver_reply(driver, request, ACH_MSG_ACK, &config) : ACH_OK;
    }
    if (!request)
        return ACH_OK;
    if (geom && subtype == ACH_RANGER_REQ_GET_GEOM) {
        ach_laser_geom_t laser = {.pose = geom->pose, .size = geom->size};

        return ach_driver_reply(driver, request, ACH_MSG_ACK, &laser);
    }
    if (subtype == ACH_RANGER_REQ_SET_CONFIG)
        ask_config(driver, r);
    return ach_driver_reply(driver, request, ACH_MSG_ACK, NULL);
}

static ach_status_t rangertolaser_answered(ach_driver_t *driver, struct rangertolaser_ranger *r,
                                           const ach_message_t *answer)
{
    ach_message_t *request = drv_pending_take(&r->convert.asked, answer);
    ach_status_t status = ACH_OK;

    if (ach_message_header(answer)->type == ACH_MSG_ACK)
        status = rangertolaser_translate(driver, r, answer, request);
    else if (!request && !r->warned) {
        ach_driver_log(
            driver, ACH_LOG_WARNING,
            "the ranger does not report its configuration: no scans are published without it");
        r->warned = true;
    }
    ach_message_unref(request); /* sends a NACK if it was not answered */
    return status;
}

static ach_status_t rangertolaser_process(ach_driver_t *driver, void *state,
                                          const ach_message_t *message)
{
    struct rangertolaser_ranger *r = state;

    switch (ach_message_header(message)->type) {
    case ACH_MSG_DATA:
        return rangertolaser_data(driver, r, message);
    case ACH_MSG_REQ:
        return rangertolaser_request(driver, r, message);
    case ACH_MSG_ACK:
    case ACH_MSG_NACK:
        return rangertolaser_answered(driver, r, message);
    default:
        return ACH_ENOTSUP;
    }
}

const ach_driver_class_t drv_driver_rangertolaser = {
    .version = ACH_DRIVER_VERSION,
    .name = "rangertolaser",
    .create = rangertolaser_create,
    .destroy = drv_convert_destroy,
    .setup = rangertolaser_setup,
    .shutdown = rangertolaser_shut_down,
    .process = rangertolaser_process,
};
