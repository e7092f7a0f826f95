/* SPDX-License-Identifier: BSD-3-Clause */
/* canvas.h - draws smooth shapes into an image, and writes it as PNG */
#ifndef CANVAS_H
#define CANVAS_H

#include <stdbool.h>
#include <stdint.h>

struct colour {
    uint8_t red, green, blue;
};

struct canvas {
    int width, height;
    struct colour *pixels;
};

/* False: no memory. */
bool canvas_init(struct canvas *c, int width, int height, struct colour background);
void canvas_finish(struct canvas *c);

/* @alpha: from 0, nothing, to 1, opaque. Outside of the image: nothing. */
void canvas_blend(struct canvas *c, int x, int y, struct colour colour, double alpha);
void canvas_box(struct canvas *c, int x, int y, int width, int height, struct colour colour);
void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, double width,
                 struct colour colour);
void canvas_disk(struct canvas *c, double x, double y, double radius, struct colour colour);
void canvas_ring(struct canvas *c, double x, double y, double radius, double width,
                 struct colour colour);

/* False: errno says why. */
bool canvas_save(const struct canvas *c, const char *path);

#endif
