/* SPDX-License-Identifier: BSD-3-Clause */
/* grid.c - certainties of the cells around the robot; the grid wraps around as the robot moves */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vfh.h"

#define HIT 5  /* added for a hit: three reach DRV_VFH_CERTAIN */
#define MISS 1 /* subtracted for each ray that passes through */

bool drv_vfh_grid_init(struct drv_vfh_grid *g, double size, int side)
{
    g->size = size;
    g->side = side;
    g->cells = calloc((size_t)side * (size_t)side, sizeof(*g->cells));
    return g->cells != NULL;
}

void drv_vfh_grid_finish(struct drv_vfh_grid *g)
{
    free(g->cells);
    g->cells = NULL;
}

void drv_vfh_grid_clear(struct drv_vfh_grid *g)
{
    memset(g->cells, 0, (size_t)g->side * (size_t)g->side * sizeof(*g->cells));
}

static size_t wrap(int32_t i, int side)
{
    int r = i % side;

    return (size_t)(r < 0 ? r + side : r);
}

static struct drv_vfh_cell *slot(const struct drv_vfh_grid *g, int32_t col, int32_t row)
{
    return &g->cells[wrap(row, g->side) * (size_t)g->side + wrap(col, g->side)];
}

int drv_vfh_grid_get(const struct drv_vfh_grid *g, int32_t col, int32_t row)
{
    const struct drv_vfh_cell *c = slot(g, col, row);

    return c->col == col && c->row == row ? c->certainty : 0;
}

static void change(struct drv_vfh_grid *g, int32_t col, int32_t row, int by)
{
    struct drv_vfh_cell *c = slot(g, col, row);
    int now = by + (c->col == col && c->row == row ? c->certainty : 0);

    *c = (struct drv_vfh_cell){col, row,
                               (uint8_t)(now < 0                 ? 0
                                         : now > DRV_VFH_CERTAIN ? DRV_VFH_CERTAIN
                                                                 : now)};
}

void drv_vfh_grid_ray(struct drv_vfh_grid *g, double x, double y, double angle, double range,
                      bool hit)
{
    int32_t half = g->side / 2;
    double reach = g->size * half, dx = cos(angle), dy = sin(angle), at;
    int32_t end_col = (int32_t)floor((x + range * dx) / g->size);
    int32_t end_row = (int32_t)floor((y + range * dy) / g->size);
    int32_t col = INT32_MAX, row = INT32_MAX, step;

    for (step = 0; (at = step * g->size / 2) < range && at < reach; step++) {
        int32_t c = (int32_t)floor((x + at * dx) / g->size);
        int32_t r = (int32_t)floor((y + at * dy) / g->size);

        if ((c == col && r == row) || (c == end_col && r == end_row))
            continue;
        col = c;
        row = r;
        change(g, c, r, -MISS);
    }
    if (hit && range < reach)
        change(g, end_col, end_row, HIT);
}
