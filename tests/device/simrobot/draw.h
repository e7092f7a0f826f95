/* SPDX-License-Identifier: BSD-3-Clause */
/* draw.h - worlds for simulated robots: a PGM image in a temporary file */
#ifndef DRAW_H
#define DRAW_H

#include "check.h"

struct drawing {
    int width, height; /* cells */
    double scale;      /* metres per cell */
    unsigned char *cells;
    char path[64];
};

/* A room of @width by @height metres, with a wall around it. */
static inline struct drawing draw_room(double width, double height, double scale);

/* A wall, from corner to corner. */
static inline void draw_wall(struct drawing *d, double x0, double y0, double x1, double y1)
{
    int col, row;

    for (row = 0; row < d->height; row++)
        for (col = 0; col < d->width; col++) {
            double x = (col + 0.5) * d->scale, y = (row + 0.5) * d->scale;

            if (x >= x0 && x <= x1 && y >= y0 && y <= y1)
                d->cells[(d->height - 1 - row) * d->width + col] = 0;
        }
}

static inline struct drawing draw_room(double width, double height, double scale)
{
    struct drawing d = {.width = (int)(width / scale + 0.5),
                        .height = (int)(height / scale + 0.5),
                        .scale = scale,
                        .path = "/tmp/ach-world-XXXXXX"};

    d.cells = malloc((size_t)(d.width * d.height));
    REQUIRE(d.cells);
    memset(d.cells, 255, (size_t)(d.width * d.height));
    draw_wall(&d, 0, 0, width, 0.1);
    draw_wall(&d, 0, height - 0.1, width, height);
    draw_wall(&d, 0, 0, 0.1, height);
    draw_wall(&d, width - 0.1, 0, width, height);
    return d;
}

static inline void draw_save(struct drawing *d)
{
    int fd = mkstemp(d->path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

    REQUIRE(f);
    fprintf(f, "P5\n# a world\n%d %d\n255\n", d->width, d->height);
    fwrite(d->cells, 1, (size_t)(d->width * d->height), f);
    REQUIRE(fclose(f) == 0);
}

static inline void draw_end(struct drawing *d)
{
    unlink(d->path);
    free(d->cells);
}

#endif
