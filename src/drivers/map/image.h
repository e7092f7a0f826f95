/* SPDX-License-Identifier: BSD-3-Clause */
/* image.h - the grey values of an image */
#ifndef DRV_IMAGE_H
#define DRV_IMAGE_H

#include "bitmap.h"

#define DRV_WHITE 65535u

struct drv_image {
    unsigned width, height;
    uint16_t *pixels; /* 0 to DRV_WHITE, row by row, the top row first; the caller frees them */
};

/* Read an image; all of it is validated. False: *why is the reason, and nothing is to be freed. */
bool drv_pgm_read(const uint8_t *bytes, size_t size, struct drv_image *image, const char **why);
bool drv_png_read(const uint8_t *bytes, size_t size, struct drv_image *image, const char **why);

#endif
