/* SPDX-License-Identifier: BSD-3-Clause */
/* world.h - what rays and round robots meet in a bitmap; beyond its border all is wall */
#ifndef ACHI_SIM_WORLD_H
#define ACHI_SIM_WORLD_H

#include <ach/interface/common.h>

#include "bitmap.h"

struct achi_sim_world {
    struct achi_sim_bitmap map;
    double scale;  /* m of a cell */
    double x0, y0; /* m, of the map's lower left corner */
};

bool achi_sim_world_occupied(const struct achi_sim_world *w, long col, long row);

/* How far a ray goes, up to max, in m. */
double achi_sim_world_ray(const struct achi_sim_world *w, double x, double y, double angle,
                          double max);

/* How near the nearest wall is to a point, and in which direction; no farther than reach. */
double achi_sim_world_nearest(const struct achi_sim_world *w, double x, double y, double reach,
                              double *angle);

/* A pose on something at another pose. */
ach_pose2d_t achi_sim_on(const ach_pose2d_t *base, const ach_pose2d_t *pose);

/* Into -pi ... pi. */
double achi_sim_turn(double angle);

#endif
