/* SPDX-License-Identifier: BSD-3-Clause */
/* clearance.c - safe distance and speed straight ahead; the last safety check */
#include <math.h>

#include "vfh.h"

/* Smallest certainty of a cell that counts as an obstacle. */
#define SEEN 5

/* How far a disc can move along x before it touches the point. */
static double clearance_until(double x, double y, double radius)
{
    if (x <= 0 || fabs(y) >= radius)
        return INFINITY;
    return fmax(0, x - sqrt(radius * radius - y * y));
}

double drv_vfh_clearance(const struct drv_vfh_grid *g, const ach_pose2d_t *pose, double radius,
                         double reach, bool back)
{
    double ca = cos(pose->pa) * (back ? -1 : 1), sa = sin(pose->pa) * (back ? -1 : 1);
    int32_t col = (int32_t)floor(pose->px / g->size), row = (int32_t)floor(pose->py / g->size);
    int32_t n = g->side / 2, c, r;
    double best = reach;

    for (r = row - n; r <= row + n; r++)
        for (c = col - n; c <= col + n; c++) {
            double x = (c + 0.5) * g->size - pose->px, y = (r + 0.5) * g->size - pose->py;

            if (drv_vfh_grid_get(g, c, r) >= SEEN)
                best = fmin(best, clearance_until(x * ca + y * sa, y * ca - x * sa, radius));
        }
    return best;
}

double drv_vfh_safe_speed(const struct drv_vfh_options *o, double clearance)
{
    return sqrt(2 * o->acceleration * clearance);
}
