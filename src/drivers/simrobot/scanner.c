/* SPDX-License-Identifier: BSD-3-Clause */
/* scanner.c - a laser scanner, shared by the laser and the ranger device */
#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "sim.h"

#define RAYS_MAX 10000.0
#define RANGE_MAX 1000.0

static bool scanner_set(struct drv_sim_scanner *c, double min_angle, double max_angle,
                        double resolution, double max_range)
{
    double rays = floor((max_angle - min_angle) / resolution + 1.0001);
    float *ranges;

    if (!(min_angle >= -2 * M_PI && max_angle <= 2 * M_PI && max_angle >= min_angle) ||
        !(resolution > 0 && rays >= 1 && rays <= RAYS_MAX) ||
        !(max_range > 0 && max_range <= RANGE_MAX))
        return false;
    ranges = realloc(c->ranges, (size_t)rays * sizeof(*ranges));
    if (!ranges)
        return false;
    c->ranges = ranges;
    c->count = (unsigned)rays;
    c->min_angle = min_angle;
    c->max_angle = min_angle + (rays - 1) * resolution;
    c->resolution = resolution;
    c->max_range = max_range;
    return true;
}

bool drv_sim_scanner_change(struct drv_sim_scanner *c, double min_angle, double max_angle,
                            double resolution, double max_range)
{
    return scanner_set(c, min_angle, max_angle, resolution != 0 ? resolution : c->resolution,
                       max_range != 0 ? max_range : c->max_range);
}

ach_status_t drv_sim_scanner_options(struct drv_sim *s, ach_section_t *o)
{
    struct drv_sim_scanner *c = &s->scanner;
    double fov = ach_section_angle(o, "laser_fov", M_PI);
    double resolution = ach_section_angle(o, "laser_resolution", M_PI / 180);
    double range = ach_section_length(o, "laser_range", 8);

    c->sensor.mount = drv_sim_pose_option(o, "laser_pose", (ach_pose2d_t){0});
    c->sensor.rate = ach_section_double(o, "laser_rate", 10);
    c->noise = ach_section_length(o, "laser_noise", 0);
    if (!scanner_set(c, -fov / 2, fov / 2, resolution, range))
        ach_section_refuse(o, "laser_fov", 0,
                           "1 to 10000 rays within two turns, and a range up to 1000 m");
    return ACH_OK;
}

static double scanner_ray(struct drv_sim *s, const ach_pose2d_t *at, unsigned i)
{
    struct drv_sim_scanner *c = &s->scanner;
    double range = drv_sim_world_ray(&s->world, at->px, at->py,
                                     at->pa + c->min_angle + i * c->resolution, c->max_range);

    if (c->noise > 0 && range < c->max_range)
        range += c->noise * drv_sim_normal(&s->motion.random);
    return range < 0 ? 0 : range > c->max_range ? c->max_range : range;
}

bool drv_sim_scanner_scan(struct drv_sim *s)
{
    ach_pose2d_t at = drv_sim_on(&s->motion.truth, &s->scanner.sensor.mount);
    unsigned i;

    if ((!s->laser.there && !s->ranger.there) || s->scanner.sensor.off ||
        !drv_sim_due(s, s->scanner.sensor.rate))
        return false;
    for (i = 0; i < s->scanner.count; i++)
        s->scanner.ranges[i] = (float)scanner_ray(s, &at, i);
    return true;
}
