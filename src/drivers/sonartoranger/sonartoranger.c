/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sonartoranger - an array of sonars as a ranger
 *
 * Each sonar is an element of the ranger, with its own pose. A sonar does not report its limits of
 * range: they are options.
 */
#include <ach.h>
#include <ach/interface/ranger.h>
#include <ach/interface/sonar.h>
#include <stdlib.h>

#include "../common/convert.h"
#include "../drivers.h"

struct sonar {
    struct drv_convert convert;
    double min_range, max_range; /* m */
};

static ach_status_t sonartoranger_read_options(ach_section_t *options, struct sonar *s)
{
    s->min_range = ach_section_length(options, "min_range", 0);
    s->max_range = ach_section_length(options, "max_range", 5);
    if (s->min_range >= 0 && s->max_range > s->min_range)
        return ACH_OK;
    ach_section_refuse(options, "max_range", 0, "a length above min_range");
    return ACH_EINVAL;
}

static ach_status_t sonartoranger_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    static const struct drv_conversion conversion = {
        .here = ACH_RANGER_CODE,
        .there = ACH_SONAR_CODE,
        .requests = {ACH_RANGER_REQ_GET_GEOM, ACH_RANGER_REQ_POWER, ACH_RANGER_REQ_GET_CONFIG}};
    ach_status_t status = drv_convert_create(driver, &conversion, sizeof(struct sonar), state);

    if (status == ACH_OK) {
        status = sonartoranger_read_options(options, *state);
        if (status != ACH_OK)
            drv_convert_destroy(driver, *state);
    }
    return status;
}

static ach_status_t sonartoranger_setup(ach_driver_t *driver, void *state)
{
    drv_convert_ask(driver, state, ACH_SONAR_REQ_GET_GEOM);
    return ACH_OK;
}

/* The elements' poses are those of the sonars, relative to the robot. */
static ach_ranger_geom_t sonartoranger_geom_of(const ach_sonar_geom_t *sonar)
{
    return (ach_ranger_geom_t){.element_poses_count = sonar->poses_count,
                               .element_poses = sonar->poses};
}

static ach_status_t ranges(ach_driver_t *driver, const struct drv_convert *c,
                           const ach_sonar_data_t *from, double time)
{
    ach_ranger_data_range_t body = {.ranges_count = from->ranges_count};
    ach_status_t status;
    uint32_t i;

    body.ranges = malloc((from->ranges_count ? from->ranges_count : 1) * sizeof(*body.ranges));
    if (!body.ranges)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for ranges");
    for (i = 0; i < from->ranges_count; i++)
        body.ranges[i] = (double)from->ranges[i];
    status = ach_driver_publish_at(driver, &c->here, ACH_RANGER_DATA_RANGE, &body, time);
    free(body.ranges);
    return status;
}

static ach_status_t sonartoranger_data(ach_driver_t *driver, struct drv_convert *c,
                                       const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    const void *body = ach_message_body(m);
    ach_ranger_geom_t geom;

    if (body && h->subtype == ACH_SONAR_DATA_RANGES)
        return ranges(driver, c, body, h->timestamp);
    if (!body || h->subtype != ACH_SONAR_DATA_GEOM)
        return ACH_ENOTSUP;
    geom = sonartoranger_geom_of(body);
    return drv_convert_moved(driver, c, &ach_ranger_geom_type, ACH_RANGER_DATA_GEOM, &geom);
}

static ach_status_t sonartoranger_request(ach_driver_t *driver, struct sonar *s,
                                          const ach_message_t *m)
{
    struct drv_convert *c = &s->convert;
    const ach_ranger_power_config_t *power = ach_message_body(m);
    ach_ranger_config_t config = {.min_range = s->min_range, .max_range = s->max_range};
    ach_sonar_power_config_t state;

    switch (ach_message_header(m)->subtype) {
    case ACH_RANGER_REQ_GET_GEOM:
        return drv_pending_other(&c->asked, driver, &c->there, ACH_SONAR_REQ_GET_GEOM, NULL, m);
    case ACH_RANGER_REQ_GET_CONFIG:
        return ach_driver_reply(driver, m, ACH_MSG_ACK, &config);
    case ACH_RANGER_REQ_POWER:
        if (!power)
            return ACH_ENOTSUP;
        state.state = power->state;
        return drv_pending_other(&c->asked, driver, &c->there, ACH_SONAR_REQ_POWER, &state, m);
    default:
        return ACH_ENOTSUP;
    }
}

static ach_status_t sonartoranger_answered(ach_driver_t *driver, struct drv_convert *c,
                                           const ach_message_t *answer)
{
    const ach_header_t *h = ach_message_header(answer);
    ach_message_t *request = drv_pending_take(&c->asked, answer);
    const void *body = ach_message_body(answer);
    ach_status_t status = ACH_OK;
    ach_ranger_geom_t geom;

    if (h->type == ACH_MSG_ACK && h->subtype == ACH_SONAR_REQ_GET_GEOM && body) {
        geom = sonartoranger_geom_of(body);
        if (request)
            ach_driver_reply(driver, request, ACH_MSG_ACK, &geom);
        status = drv_convert_moved(driver, c, &ach_ranger_geom_type, ACH_RANGER_DATA_GEOM, &geom);
    } else if (h->type == ACH_MSG_ACK && request)
        status = ach_driver_reply(driver, request, ACH_MSG_ACK, NULL);
    ach_message_unref(request); /* sends a NACK if it was not answered */
    return status;
}

static ach_status_t sonartoranger_process(ach_driver_t *driver, void *state,
                                          const ach_message_t *message)
{
    struct sonar *s = state;

    switch (ach_message_header(message)->type) {
    case ACH_MSG_DATA:
        return sonartoranger_data(driver, &s->convert, message);
    case ACH_MSG_REQ:
        return sonartoranger_request(driver, s, message);
    case ACH_MSG_ACK:
    case ACH_MSG_NACK:
        return sonartoranger_answered(driver, &s->convert, message);
    default:
        return ACH_ENOTSUP;
    }
}

const ach_driver_class_t drv_driver_sonartoranger = {
    .version = ACH_DRIVER_VERSION,
    .name = "sonartoranger",
    .create = sonartoranger_create,
    .destroy = drv_convert_destroy,
    .setup = sonartoranger_setup,
    .shutdown = drv_convert_shutdown,
    .process = sonartoranger_process,
};
