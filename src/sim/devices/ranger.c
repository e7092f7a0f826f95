/* SPDX-License-Identifier: BSD-3-Clause */
/* ranger.c - rays from a body, in the x-y plane of the sensor, as a ranger */
#include <ach.h>
#include <ach/interface/ranger.h>
#include <math.h>
#include <stdlib.h>

#include "device.h"
#include "devices.h"
#include "space.h"

#define RAYS_MAX 10000

struct ranger {
    struct simd_simdev device;
    size_t body;
    ach_pose3d_t mount;
    ach_bbox3d_t size;
    double min_angle, max_angle, resolution;
    double min_range, max_range;
    uint32_t count;
    double *ranges;
};

static const uint8_t messages[][2] = {{ACH_MSG_REQ, ACH_RANGER_REQ_GET_GEOM},
                                      {ACH_MSG_REQ, ACH_RANGER_REQ_GET_CONFIG},
                                      {ACH_MSG_REQ, ACH_RANGER_REQ_SET_CONFIG},
                                      {ACH_MSG_REQ, ACH_RANGER_REQ_POWER},
                                      {0, 0}};

/* Number of rays; 0: the angles are invalid, or there are too many rays. */
static uint32_t rays_of(double min_angle, double max_angle, double resolution)
{
    double n;

    if (!(max_angle >= min_angle && max_angle - min_angle <= 2 * M_PI + 1e-9 && resolution > 0))
        return 0;
    n = floor((max_angle - min_angle) / resolution + 1e-6) + 1;
    return n <= RAYS_MAX ? (uint32_t)n : 0;
}

static bool good_ranges(double min, double max)
{
    return min >= 0 && max > min && isfinite(max);
}

/* Allocates RAYS_MAX: a request may increase the number of rays. */
static ach_status_t ranger_options(struct simd_simdev *d, ach_section_t *o)
{
    struct ranger *r = (struct ranger *)d;

    r->body = simd_body(d, o, "body");
    r->mount = simd_mount(o);
    r->size = simd_size(o);
    r->min_angle = ach_section_angle(o, "min_angle", -M_PI / 2);
    r->max_angle = ach_section_angle(o, "max_angle", M_PI / 2);
    r->resolution = ach_section_angle(o, "resolution", M_PI / 180);
    r->min_range = ach_section_length(o, "min_range", 0);
    r->max_range = ach_section_length(o, "max_range", 10);
    r->count = rays_of(r->min_angle, r->max_angle, r->resolution);
    if (!r->count)
        ach_section_refuse(o, "resolution", 0, "up to 10000 rays from min_angle to max_angle");
    if (!good_ranges(r->min_range, r->max_range))
        ach_section_refuse(o, "max_range", 0, "a length above 0, and above min_range");
    r->ranges = calloc(RAYS_MAX, sizeof(*r->ranges));
    return r->ranges ? ACH_OK : ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a scan");
}

static void ranger_finish(struct simd_simdev *d)
{
    free(((struct ranger *)d)->ranges);
}

/* Position and orientation of the sensor in the world. */
static void place(const struct ranger *r, double from[3], double q[4])
{
    const ach_pose3d_t *m = &r->mount;
    const ach_orientation_3d_t angles = {m->proll, m->ppitch, m->pyaw};
    ach_body_state_t s;
    double on[4];
    int i;

    phys_mechanism_body_get(r->device.mechanism, r->body, &s);
    simd_space_turn(s.orientation, (const double[3]){m->px, m->py, m->pz}, from);
    for (i = 0; i < 3; i++)
        from[i] += s.position[i];
    simd_space_quaternion(&angles, on);
    simd_space_compose(s.orientation, on, q);
}

static double range(struct ranger *r, double angle, const double from[3], const double q[4])
{
    double direction[3] = {cos(angle), sin(angle), 0}, length;

    simd_space_turn(q, direction, direction);
    length = phys_mechanism_ray(r->device.mechanism, r->body, from, direction, r->max_range);
    if (length < r->max_range)
        length = simd_sense(&r->device, 0, length);
    return fmax(r->min_range, fmin(r->max_range, length));
}

static ach_status_t ranger_sample(struct simd_simdev *d)
{
    struct ranger *r = (struct ranger *)d;
    ach_ranger_data_range_t data = {.ranges_count = r->count, .ranges = r->ranges};
    double from[3], q[4];
    uint32_t i;

    place(r, from, q);
    for (i = 0; i < r->count; i++)
        r->ranges[i] = range(r, r->min_angle + i * r->resolution, from, q);
    return simd_publish(d, ACH_RANGER_DATA_RANGE, &data);
}

/* All rays start at the device's own pose, so there is one element. */
static ach_status_t ranger_get_geom(struct ranger *r, const ach_message_t *m)
{
    ach_ranger_geom_t geom = {.pose = r->mount,
                              .size = r->size,
                              .element_poses_count = 1,
                              .element_poses = &r->mount,
                              .element_sizes_count = 1,
                              .element_sizes = &r->size};

    return simd_ack(&r->device, m, &geom);
}

static ach_status_t get_config(struct ranger *r, const ach_message_t *m)
{
    ach_ranger_config_t config = {.min_angle = r->min_angle,
                                  .max_angle = r->max_angle,
                                  .angular_res = r->resolution,
                                  .min_range = r->min_range,
                                  .max_range = r->max_range,
                                  .range_res = r->device.grains[0].quantum,
                                  .frequency = r->device.hertz};

    return simd_ack(&r->device, m, &config);
}

/* Replies with the new configuration. A frequency of 0 keeps the rate. */
static ach_status_t set_config(struct ranger *r, const ach_message_t *m)
{
    const ach_ranger_config_t *b = ach_message_body(m);
    uint32_t count = b ? rays_of(b->min_angle, b->max_angle, b->angular_res) : 0;

    if (!count || !good_ranges(b->min_range, b->max_range) ||
        (b->frequency != 0 && !simd_set_rate(&r->device, b->frequency)))
        return ACH_ENOTSUP;
    r->min_angle = b->min_angle;
    r->max_angle = b->max_angle;
    r->resolution = b->angular_res;
    r->min_range = b->min_range;
    r->max_range = b->max_range;
    r->count = count;
    return get_config(r, m);
}

static ach_status_t ranger_power(struct ranger *r, const ach_message_t *m)
{
    const ach_ranger_power_config_t *body = ach_message_body(m);

    if (!body)
        return ACH_ENOTSUP;
    simd_power(&r->device, body->state != 0);
    return simd_ack(&r->device, m, NULL);
}

static ach_status_t ranger_request(struct simd_simdev *d, const ach_message_t *m)
{
    struct ranger *r = (struct ranger *)d;

    switch (ach_message_header(m)->subtype) {
    case ACH_RANGER_REQ_GET_GEOM:
        return ranger_get_geom(r, m);
    case ACH_RANGER_REQ_GET_CONFIG:
        return get_config(r, m);
    case ACH_RANGER_REQ_SET_CONFIG:
        return set_config(r, m);
    case ACH_RANGER_REQ_POWER:
        return ranger_power(r, m);
    }
    return ACH_ENOTSUP;
}

static const struct simd_kind kind = {
    .interf = ACH_RANGER_CODE,
    .size = sizeof(struct ranger),
    .grains = 1,
    .messages = messages,
    .options = ranger_options,
    .finish = ranger_finish,
    .sample = ranger_sample,
    .request = ranger_request,
};

static ach_status_t ranger_create(ach_driver_t *driver, ach_section_t *section, void **state)
{
    return simd_create(driver, section, &kind, state);
}

const ach_driver_class_t simd_sim_ranger = SIMD_CLASS("sim_ranger", ranger_create);
