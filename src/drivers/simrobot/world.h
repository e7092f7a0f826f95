/* SPDX-License-Identifier: BSD-3-Clause */
/* world.h - intersections of rays and round robots with a bitmap; outside of it all is wall */
#ifndef DRV_SIM_WORLD_H
#define DRV_SIM_WORLD_H

#include <ach/interface/common.h>

#include "bitmap.h"

struct drv_sim_world {
    struct drv_sim_bitmap map;
    double scale;  /* size of a cell, m */
    double x0, y0; /* lower left corner of the map, m */
};

/* Length of a ray until it hits a wall, at most max, in m. */
double drv_sim_world_ray(const struct drv_sim_world *w, double x, double y, double angle,
                         double max);

/* Distance from a point to the nearest wall, at most reach, and its direction. */
double drv_sim_world_nearest(const struct drv_sim_world *w, double x, double y, double reach,
                             double *angle);

/* Compose poses: pose is relative to base. */
ach_pose2d_t drv_sim_on(const ach_pose2d_t *base, const ach_pose2d_t *pose);

/* Normalise an angle to -pi ... pi. */
double drv_sim_turn(double angle);

#endif
