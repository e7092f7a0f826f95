/* SPDX-License-Identifier: BSD-3-Clause */
/* world.h - intersections of rays and round robots with a map; outside of it all is wall */
#ifndef DRV_SIM_WORLD_H
#define DRV_SIM_WORLD_H

#include <ach/interface/common.h>

#include "../map/map.h"

/* Length of a ray until it hits a wall, at most max, in m. */
double drv_sim_world_ray(const struct drv_map *w, double x, double y, double angle, double max);

/* Distance from a point to the nearest wall, at most reach, and its direction. */
double drv_sim_world_nearest(const struct drv_map *w, double x, double y, double reach,
                             double *angle);

/* Compose poses: pose is relative to base. */
ach_pose2d_t drv_sim_on(const ach_pose2d_t *base, const ach_pose2d_t *pose);

/* Normalise an angle to -pi ... pi. */
double drv_sim_turn(double angle);

#endif
