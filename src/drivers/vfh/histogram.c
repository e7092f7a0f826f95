/* SPDX-License-Identifier: BSD-3-Clause */
/* histogram.c - from cells to directions: primary, binary and masked histogram */
#include <math.h>

#include "vfh.h"

/* Magnitude of a fully certain obstacle next to the robot; it falls to 0 at the window's edge. */
#define MAGNITUDE 1e6

double drv_vfh_at(struct drv_vfh_by_speed value, double speed)
{
    double v = value.standing + (value.at_1ms - value.standing) * fabs(speed);

    return v > 0 ? v : 0;
}

double drv_vfh_turn(double angle)
{
    return remainder(angle, 2 * M_PI);
}

/* An occupied cell, relative to the robot. */
struct sight {
    double x, y;      /* from the robot, in the odometry's frame */
    double direction; /* rad */
    double distance;  /* m */
    double magnitude;
};

/* Limits of the directions that the robot can turn to at its speed, relative to its heading. */
struct mask {
    double left, right; /* rad, >= 0 */
};

struct builder {
    struct drv_vfh_histogram *h;
    const struct drv_vfh_state *state;
    struct mask mask;
    double turn_radius;
    double distance; /* to keep from the robot's centre */
    double reach;
};

static void histogram_add(struct builder *b, const struct sight *s)
{
    struct drv_vfh_histogram *h = b->h;
    double wide = s->distance > b->distance ? asin(b->distance / s->distance) : M_PI / 2;
    int first = (int)floor((s->direction - wide) / h->each);
    int last = (int)floor((s->direction + wide) / h->each), k;

    for (k = first; k <= last; k++)
        h->density[((k % h->sectors) + h->sectors) % h->sectors] += s->magnitude;
}

/* Would the robot hit the cell on its tightest circle to this side? */
static bool in_the_way(const struct builder *b, const struct sight *s, double side)
{
    double a = b->state->pose.pa + side * M_PI / 2;
    double dx = s->x - b->turn_radius * cos(a), dy = s->y - b->turn_radius * sin(a);

    return hypot(dx, dy) < b->turn_radius + b->distance;
}

static void restrict_turns(struct builder *b, const struct sight *s)
{
    double off = drv_vfh_turn(s->direction - b->state->pose.pa);

    if (off >= 0 && off < b->mask.left && in_the_way(b, s, 1))
        b->mask.left = off;
    if (off <= 0 && -off < b->mask.right && in_the_way(b, s, -1))
        b->mask.right = -off;
}

static void see(struct builder *b, const struct sight *s)
{
    histogram_add(b, s);
    if (b->turn_radius > 0.01 && s->distance > b->distance)
        restrict_turns(b, s);
}

static void look_around(struct builder *b, const struct drv_vfh_grid *g, double window)
{
    const ach_pose2d_t *pose = &b->state->pose;
    int32_t col = (int32_t)floor(pose->px / g->size), row = (int32_t)floor(pose->py / g->size);
    int32_t n = g->side / 2, c, r;

    for (r = row - n; r <= row + n; r++)
        for (c = col - n; c <= col + n; c++) {
            double sure = drv_vfh_grid_get(g, c, r) / (double)DRV_VFH_CERTAIN;
            struct sight s = {.x = (c + 0.5) * g->size - pose->px,
                              .y = (r + 0.5) * g->size - pose->py};

            s.distance = hypot(s.x, s.y);
            if (sure <= 0 || s.distance > b->reach || s.distance >= window)
                continue;
            s.direction = atan2(s.y, s.x);
            s.magnitude =
                MAGNITUDE * sure * sure * (1 - (s.distance / window) * (s.distance / window));
            see(b, &s);
        }
}

/* Between the two thresholds a sector keeps its state. */
static void decide(struct drv_vfh_histogram *h, double free, double blocked)
{
    int k;

    for (k = 0; k < h->sectors; k++)
        if (h->density[k] > blocked)
            h->blocked[k] = true;
        else if (h->density[k] < free)
            h->blocked[k] = false;
}

static void mask(struct builder *b)
{
    struct drv_vfh_histogram *h = b->h;
    int k;

    for (k = 0; k < h->sectors; k++) {
        double off = drv_vfh_turn((k + 0.5) * h->each - b->state->pose.pa);

        h->masked[k] = h->blocked[k] || off > b->mask.left || -off > b->mask.right;
    }
}

void drv_vfh_histogram_build(struct drv_vfh_histogram *h, const struct drv_vfh_grid *g,
                             const struct drv_vfh_options *o, const struct drv_vfh_state *s,
                             double reach, double distance)
{
    double turnrate = drv_vfh_at(o->max_turnrate, s->speed);
    double free = drv_vfh_at(o->free_cutoff, s->speed);
    struct builder b = {.h = h,
                        .state = s,
                        .mask = {M_PI, M_PI},
                        .turn_radius = fabs(s->speed) / turnrate * o->turn_radius_factor,
                        .distance = distance,
                        .reach = reach};
    int k;

    for (k = 0; k < h->sectors; k++)
        h->density[k] = 0;
    look_around(&b, g, o->cell_size * o->window_diameter / 2);
    decide(h, free, fmax(free, drv_vfh_at(o->obs_cutoff, s->speed)));
    mask(&b);
}
