/* SPDX-License-Identifier: BSD-3-Clause */
/* translate_scan.c - laser and ranger as LaserScan */
#include <math.h>

#include "translate.h"

/* A ray without an echo has the largest range in devices, and infinity in ROS (REP 117). */
static float scan_range(double range, double most)
{
    return most > 0 && range >= most ? INFINITY : (float)range;
}

struct scan_angles {
    float first, last, step, nearest, farthest;
};

static void scan_begin(const struct feed_translation *t, const struct scan_angles *a)
{
    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    feed_cdr_f32(t->cdr, a->first);
    feed_cdr_f32(t->cdr, a->last);
    feed_cdr_f32(t->cdr, a->step);
    feed_cdr_f32(t->cdr, 0); /* between rays: not known */
    feed_cdr_f32(t->cdr, 0); /* between scans: not known */
    feed_cdr_f32(t->cdr, a->nearest);
    feed_cdr_f32(t->cdr, a->farthest);
}

static bool scan_laser(const struct feed_translation *t, const ach_laser_data_t *scan)
{
    const uint32_t n = scan->ranges_count;
    const bool bright = scan->intensity_count == n;
    const struct scan_angles angles = {.first = scan->min_angle,
                                       .last = scan->min_angle +
                                               scan->resolution * (float)(n ? n - 1 : 0),
                                       .step = scan->resolution,
                                       .farthest = scan->max_range};
    uint32_t i;

    if (n == 0)
        return false;
    scan_begin(t, &angles);
    feed_cdr_u32(t->cdr, n);
    for (i = 0; i < n; i++)
        feed_cdr_f32(t->cdr, scan_range(scan->ranges[i], scan->max_range));
    feed_cdr_u32(t->cdr, bright ? n : 0);
    for (i = 0; bright && i < n; i++)
        feed_cdr_f32(t->cdr, scan->intensity[i]);
    feed_translate_emit(t, "scan", &feed_ros_laser_scan);
    return true;
}

static bool scan_laser_plain(const struct feed_translation *t, const void *body)
{
    return scan_laser(t, body);
}

static bool scan_laser_posed(const struct feed_translation *t, const void *body)
{
    return scan_laser(t, &((const ach_laser_data_scanpose_t *)body)->scan);
}

static bool scan_ranger(const struct feed_translation *t, const ach_ranger_data_range_t *ranges)
{
    const ach_ranger_config_t *config = &t->device->ranger;
    const double span = config->max_angle - config->min_angle;
    const uint32_t n = ranges->ranges_count;
    const struct scan_angles angles = {.first = (float)config->min_angle,
                                       .last = (float)config->max_angle,
                                       .step = (float)(n > 1 ? span / (n - 1) : 0),
                                       .nearest = (float)config->min_range,
                                       .farthest = (float)config->max_range};
    uint32_t i;

    if (n == 0)
        return false;
    scan_begin(t, &angles);
    feed_cdr_u32(t->cdr, n);
    for (i = 0; i < n; i++)
        feed_cdr_f32(t->cdr, scan_range(ranges->ranges[i], config->max_range));
    feed_cdr_u32(t->cdr, 0);
    feed_translate_emit(t, "scan", &feed_ros_laser_scan);
    return true;
}

/* Without a configuration the rays have no angles: the ranges are all there is. */
static bool scan_ranger_plain(const struct feed_translation *t, const void *body)
{
    const ach_ranger_config_t *config = &t->device->ranger;

    return config->max_angle > config->min_angle && scan_ranger(t, body);
}

static bool scan_ranger_posed(const struct feed_translation *t, const void *body)
{
    const ach_ranger_data_rangestamped_t *posed = body;

    if (posed->have_geom)
        feed_translate_mounted(t, &posed->geom.pose);
    if (posed->have_config)
        t->device->ranger = posed->config;
    return scan_ranger_plain(t, &posed->data);
}

const struct feed_rule feed_rules_scan[] = {
    {ACH_LASER_CODE, ACH_LASER_DATA_SCAN, scan_laser_plain},
    {ACH_LASER_CODE, ACH_LASER_DATA_SCANPOSE, scan_laser_posed},
    {ACH_RANGER_CODE, ACH_RANGER_DATA_RANGE, scan_ranger_plain},
    {ACH_RANGER_CODE, ACH_RANGER_DATA_RANGESTAMPED, scan_ranger_posed},
    {0, 0, NULL},
};
