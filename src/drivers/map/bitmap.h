/* SPDX-License-Identifier: BSD-3-Clause */
/* bitmap.h - a map of cells that are free, occupied or unknown, from an image */
#ifndef DRV_BITMAP_H
#define DRV_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRV_BITMAP_FORMATS "PGM or PNG image"

/* Largest number of cells along one side. */
#define DRV_BITMAP_SIDE_MAX 8192u
/* Largest file, in bytes. */
#define DRV_BITMAP_FILE_MAX (128u << 20)

/* The values of the map interface. */
enum { DRV_CELL_FREE = -1, DRV_CELL_UNKNOWN = 0, DRV_CELL_OCCUPIED = 1 };

struct drv_bitmap {
    unsigned width, height;
    int8_t *cells; /* row by row, the lowest first: y goes up */
};

/* Thresholds of grey, as fractions of white. */
struct drv_greys {
    double occupied_below;
    double free_above;
    bool negate; /* white and black are exchanged */
};

/* Read an image; all of it is validated. False: *why is the reason. */
bool drv_bitmap_parse(const uint8_t *bytes, size_t size, const struct drv_greys *greys,
                      struct drv_bitmap *bitmap, const char **why);
bool drv_bitmap_load(const char *path, const struct drv_greys *greys, struct drv_bitmap *bitmap,
                     const char **why);
void drv_bitmap_finish(struct drv_bitmap *bitmap);

#endif
