/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes are distances: a pixel half covered by a shape's edge takes half of its colour. */
#include "canvas.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool canvas_init(struct canvas *c, int width, int height, struct colour background)
{
    size_t i, n = (size_t)width * (size_t)height;

    *c = (struct canvas){width, height, malloc(n * sizeof(*c->pixels))};
    for (i = 0; c->pixels && i < n; i++)
        c->pixels[i] = background;
    return c->pixels != NULL;
}

void canvas_finish(struct canvas *c)
{
    free(c->pixels);
}

static uint8_t mixed(uint8_t under, uint8_t over, double alpha)
{
    return (uint8_t)lround(under + (over - under) * alpha);
}

void canvas_blend(struct canvas *c, int x, int y, struct colour colour, double alpha)
{
    struct colour *p;

    if (x < 0 || y < 0 || x >= c->width || y >= c->height || !(alpha > 0))
        return;
    p = &c->pixels[(size_t)y * (size_t)c->width + (size_t)x];
    alpha = fmin(alpha, 1);
    *p = (struct colour){mixed(p->red, colour.red, alpha), mixed(p->green, colour.green, alpha),
                         mixed(p->blue, colour.blue, alpha)};
}

void canvas_box(struct canvas *c, int x, int y, int width, int height, struct colour colour)
{
    int i, j;

    for (j = y; j < y + height; j++)
        for (i = x; i < x + width; i++)
            canvas_blend(c, i, j, colour, 1);
}

/* Of a point to the line from (0, 0) to (dx, dy). */
static double distance(double x, double y, double dx, double dy)
{
    double square = dx * dx + dy * dy;
    double t = square > 0 ? fmax(0, fmin(1, (x * dx + y * dy) / square)) : 0;

    return hypot(x - t * dx, y - t * dy);
}

void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, double width,
                 struct colour colour)
{
    double reach = width / 2 + 1;
    int x, y;

    for (y = (int)floor(fmin(y0, y1) - reach); y <= fmax(y0, y1) + reach; y++)
        for (x = (int)floor(fmin(x0, x1) - reach); x <= fmax(x0, x1) + reach; x++)
            canvas_blend(c, x, y, colour,
                         width / 2 + 0.5 - distance(x + 0.5 - x0, y + 0.5 - y0, x1 - x0, y1 - y0));
}

void canvas_disk(struct canvas *c, double x, double y, double radius, struct colour colour)
{
    canvas_line(c, x, y, x, y, 2 * radius, colour);
}

void canvas_ring(struct canvas *c, double x, double y, double radius, double width,
                 struct colour colour)
{
    double reach = radius + width;
    int i, j;

    for (j = (int)floor(y - reach); j <= y + reach; j++)
        for (i = (int)floor(x - reach); i <= x + reach; i++)
            canvas_blend(c, i, j, colour,
                         width / 2 + 0.5 - fabs(hypot(i + 0.5 - x, j + 0.5 - y) - radius));
}

bool canvas_save(const struct canvas *c, const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGB};

    _Static_assert(sizeof(struct colour) == 3, "a row of pixels has no gaps");
    errno = EIO;
    return png_image_write_to_file(&image, path, 0, c->pixels, 0, NULL) != 0;
}
