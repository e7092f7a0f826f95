/* SPDX-License-Identifier: BSD-3-Clause */
#include "barcode.h"

#include <math.h>
#include <stdbool.h>

/* Most rays on one barcode; bounds the work on a scan that is wrong. */
#define RAYS_MAX 1024u

struct point {
    double x, y;
};

static double angle_of(const ach_laser_data_t *s, double ray)
{
    return (double)s->min_angle + ray * (double)s->resolution;
}

static struct point point_of(const ach_laser_data_t *s, uint32_t i)
{
    double range = (double)s->ranges[i], angle = angle_of(s, i);

    return (struct point){range * cos(angle), range * sin(angle)};
}

static bool reflects(const ach_laser_data_t *s, uint32_t i)
{
    return i < s->intensity_count && s->intensity[i] > 0;
}

static double between(struct point a, struct point b)
{
    return hypot(b.x - a.x, b.y - a.y);
}

/* A candidate: the line from the first to the last reflecting ray. */
struct candidate {
    const ach_laser_data_t *scan;
    uint32_t first, last;
    struct point start;
    double direction; /* of the line */
    double begin;     /* where the barcode begins on the line, m from start */
};

/*
 * Where a ray between two measured ones meets the line, in m from its start. NAN: nowhere.
 * @ray: may have a fraction.
 */
static double meets(const struct candidate *c, double ray)
{
    double angle = angle_of(c->scan, ray);
    double across = sin(angle - c->direction);
    double t = (c->start.y * cos(angle) - c->start.x * sin(angle)) / across;

    return fabs(across) > 1e-6 ? t : NAN;
}

/* The distance of a point from the line. */
static double off_line(const struct candidate *c, struct point p)
{
    return fabs((p.y - c->start.y) * cos(c->direction) - (p.x - c->start.x) * sin(c->direction));
}

/* How much of a strip the ray covers: 1 if it covers all of it, or hits nothing else. */
static double covers(double from, double to, double strip_from, double strip_to)
{
    double common = fmin(to, strip_to) - fmax(from, strip_from);

    return common > 0 ? common / fmin(to - from, strip_to - strip_from) : 0;
}

/* The value of a strip; -1: it cannot be read. */
static int read_strip(const struct candidate *c, const struct drv_barcode_options *o, int bit)
{
    double hits[2] = {0, 0}, from = c->begin + bit * o->width, all;
    uint32_t i;

    for (i = c->first; i <= c->last; i++) {
        double start = meets(c, i - 0.5), end = meets(c, i + 0.5);

        if (end > start)
            hits[reflects(c->scan, i)] += covers(start, end, from, from + o->width);
    }
    all = hits[0] + hits[1];
    if (!(all >= o->accept))
        return -1;
    if (hits[1] / all > o->one)
        return 1;
    return hits[0] / all > o->zero ? 0 : -1;
}

static int read_number(const struct candidate *c, const struct drv_barcode_options *o)
{
    int bit, id = 0;

    for (bit = 0; bit < o->bits; bit++) {
        int value = read_strip(c, o, bit);

        if (value < 0)
            return -1;
        id |= value << bit;
    }
    return id;
}

static bool is_flat(const struct candidate *c, double depth)
{
    uint32_t i;

    for (i = c->first; i <= c->last; i++)
        if (!(off_line(c, point_of(c->scan, i)) <= depth))
            return false;
    return true;
}

/* The middle of the strips is in the middle between the outer edges of the outer rays. */
static bool read_candidate(struct candidate *c, const struct drv_barcode_options *o,
                           ach_fiducial_item_t *found)
{
    struct point end = point_of(c->scan, c->last);
    double middle;

    c->start = point_of(c->scan, c->first);
    c->direction = atan2(end.y - c->start.y, end.x - c->start.x);
    if (!is_flat(c, o->depth))
        return false;
    middle = (meets(c, c->first - 0.5) + meets(c, c->last + 0.5)) / 2;
    if (!isfinite(middle))
        return false;
    c->begin = middle - o->bits * o->width / 2;
    *found = (ach_fiducial_item_t){.id = read_number(c, o),
                                   .pose = {.px = c->start.x + middle * cos(c->direction),
                                            .py = c->start.y + middle * sin(c->direction),
                                            .pyaw = remainder(c->direction + M_PI / 2, 2 * M_PI)}};
    return true;
}

/* The last reflecting ray that is not farther from the first than the longest barcode. */
static uint32_t last_of(const ach_laser_data_t *s, uint32_t first, double longest)
{
    struct point start = point_of(s, first);
    uint32_t i, last = first, end = s->ranges_count;

    if (end - first > RAYS_MAX)
        end = first + RAYS_MAX;
    for (i = first + 1; i < end && between(start, point_of(s, i)) < longest; i++)
        if (reflects(s, i))
            last = i;
    return last;
}

uint32_t drv_barcode_find(const ach_laser_data_t *scan, const struct drv_barcode_options *o,
                          ach_fiducial_item_t *found, uint32_t max)
{
    double shortest = (o->bits - 1) * o->width, longest = (o->bits + 1) * o->width;
    struct candidate c = {.scan = scan};
    uint32_t i, n = 0;

    for (i = 0; i < scan->ranges_count && n < max; i++) {
        if (!reflects(scan, i))
            continue;
        c.first = i;
        c.last = last_of(scan, i, longest);
        if (between(point_of(scan, i), point_of(scan, c.last)) < shortest)
            continue;
        if (read_candidate(&c, o, &found[n]))
            n++;
        i = c.last;
    }
    return n;
}
