/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <math.h>

static bool world_occupied(const struct drv_map *w, long col, long row)
{
    const struct drv_bitmap *m = &w->bitmap;

    if (col < 0 || row < 0 || col >= (long)m->width || row >= (long)m->height)
        return true;
    return m->cells[(size_t)row * m->width + (size_t)col] == DRV_CELL_OCCUPIED;
}

/* One axis of a ray that is traced from cell border to cell border. */
struct axis {
    long cell;
    long step;
    double next; /* distance along the ray to the next border */
    double each; /* distance along the ray between two borders */
};

static struct axis along(double start, double direction)
{
    struct axis a = {.cell = (long)floor(start), .step = direction < 0 ? -1 : 1};

    if (fabs(direction) < 1e-12) {
        a.next = a.each = INFINITY;
        return a;
    }
    a.each = fabs(1 / direction);
    a.next = (direction < 0 ? start - (double)a.cell : (double)a.cell + 1 - start) * a.each;
    return a;
}

double drv_sim_world_ray(const struct drv_map *w, double x, double y, double angle, double max)
{
    struct axis h = along((x - w->x0) / w->scale, cos(angle));
    struct axis v = along((y - w->y0) / w->scale, sin(angle));
    double gone = 0, limit = max / w->scale;

    while (gone < limit) {
        struct axis *a = h.next < v.next ? &h : &v;

        if (world_occupied(w, h.cell, v.cell))
            return gone * w->scale;
        gone = a->next;
        a->next += a->each;
        a->cell += a->step;
    }
    return max;
}

static double world_clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

double drv_sim_world_nearest(const struct drv_map *w, double x, double y, double reach,
                             double *angle)
{
    double cx = (x - w->x0) / w->scale, cy = (y - w->y0) / w->scale, r = reach / w->scale;
    double best = r;
    long col, row;

    for (row = (long)floor(cy - r); row <= (long)floor(cy + r); row++)
        for (col = (long)floor(cx - r); col <= (long)floor(cx + r); col++) {
            double dx = world_clamp(cx, (double)col, (double)col + 1) - cx;
            double dy = world_clamp(cy, (double)row, (double)row + 1) - cy;
            double d = hypot(dx, dy);

            if (d >= best || !world_occupied(w, col, row))
                continue;
            best = d;
            *angle = atan2(dy, dx);
        }
    return best * w->scale;
}

ach_pose2d_t drv_sim_on(const ach_pose2d_t *base, const ach_pose2d_t *pose)
{
    double c = cos(base->pa), s = sin(base->pa);

    return (ach_pose2d_t){.px = base->px + c * pose->px - s * pose->py,
                          .py = base->py + s * pose->px + c * pose->py,
                          .pa = drv_sim_turn(base->pa + pose->pa)};
}

double drv_sim_turn(double angle)
{
    return remainder(angle, 2 * M_PI);
}
