/* SPDX-License-Identifier: BSD-3-Clause */
/* png.c - PNG images in grey; what is transparent is white */
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

static uint8_t *read_greys(png_image *png)
{
    static const png_color white = {255, 255, 255};
    uint8_t *greys;

    png->format = PNG_FORMAT_GRAY;
    greys = malloc(PNG_IMAGE_SIZE(*png));
    if (greys && !png_image_finish_read(png, &white, greys, 0, NULL)) {
        free(greys);
        return NULL;
    }
    return greys;
}

static bool png_widen(const uint8_t *greys, struct drv_image *image)
{
    size_t i, n = (size_t)image->width * image->height;

    image->pixels = malloc(n * sizeof(*image->pixels));
    for (i = 0; i < n && image->pixels; i++)
        image->pixels[i] = (uint16_t)(greys[i] * (DRV_WHITE / 255));
    return image->pixels != NULL;
}

bool drv_png_read(const uint8_t *bytes, size_t size, struct drv_image *image, const char **why)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    uint8_t *greys = NULL;
    bool ok = false;

    *why = "the PNG image is damaged";
    if (!png_image_begin_read_from_memory(&png, bytes, size))
        return false;
    if (png.width > DRV_BITMAP_SIDE_MAX || png.height > DRV_BITMAP_SIDE_MAX)
        *why = "the image is too large";
    else
        greys = read_greys(&png);
    if (greys) {
        image->width = png.width;
        image->height = png.height;
        ok = png_widen(greys, image);
        *why = "no memory for the image";
    }
    free(greys);
    png_image_free(&png);
    return ok;
}
