/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c - the free direction with the least cost */
#include <math.h>

#include "vfh.h"

/* A wider opening has more than one candidate direction. */
#define WIDE (80 * M_PI / 180)

struct choose_choice {
    const struct drv_vfh_options *options;
    double target, heading, previous;
    double best, cost; /* so far; cost < 0: none */
};

static double apart(double a, double b)
{
    return fabs(drv_vfh_turn(a - b));
}

static void consider(struct choose_choice *c, double direction)
{
    double cost = c->options->weight_desired * apart(direction, c->target) +
                  c->options->weight_current * apart(direction, c->heading) +
                  c->options->weight_previous * apart(direction, c->previous);

    if (c->cost >= 0 && cost >= c->cost)
        return;
    c->cost = cost;
    c->best = drv_vfh_turn(direction);
}

/* Candidates: the middle of a narrow opening; near either side of a wide one, or the target. */
static void opening(struct choose_choice *c, double right, double left)
{
    double ahead;

    if (left - right < WIDE) {
        consider(c, (left + right) / 2);
        return;
    }
    consider(c, right + WIDE / 2);
    consider(c, left - WIDE / 2);
    ahead = right + WIDE / 2 + fmod(c->target - right - WIDE / 2 + 8 * M_PI, 2 * M_PI);
    if (ahead <= left - WIDE / 2)
        consider(c, ahead);
}

static bool masked(const struct drv_vfh_histogram *h, int k)
{
    return h->masked[k % h->sectors];
}

bool drv_vfh_choose(const struct drv_vfh_histogram *h, const struct drv_vfh_options *o,
                    double target, double heading, double previous, double *direction)
{
    struct choose_choice c = {o, target, heading, previous, 0, -1};
    int first = 0, k, end;

    while (first < h->sectors && !masked(h, first))
        first++;
    if (first == h->sectors) {
        *direction = target;
        return true;
    }
    /* Go once around, beginning at a blocked sector. */
    for (k = first; k < first + h->sectors; k = end + 1) {
        for (end = k; end < first + h->sectors && !masked(h, end); end++)
            ;
        if (end > k)
            opening(&c, k * h->each, end * h->each);
    }
    if (c.cost >= 0)
        *direction = c.best;
    return c.cost >= 0;
}
