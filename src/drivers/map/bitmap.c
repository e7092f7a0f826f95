/* SPDX-License-Identifier: BSD-3-Clause */
#include "bitmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

static int8_t cell(const struct drv_greys *greys, double white)
{
    if (greys->negate)
        white = 1 - white;
    if (white < greys->occupied_below)
        return DRV_CELL_OCCUPIED;
    return white > greys->free_above ? DRV_CELL_FREE : DRV_CELL_UNKNOWN;
}

/* The first row of an image is the top one; the first row of cells is the lowest. */
static void fill(const struct drv_image *image, const struct drv_greys *greys, int8_t *cells)
{
    const uint16_t *pixel = image->pixels;
    unsigned row, col;

    for (row = image->height; row-- > 0;)
        for (col = 0; col < image->width; col++)
            cells[(size_t)row * image->width + col] = cell(greys, (double)*pixel++ / DRV_WHITE);
}

static bool is_png(const uint8_t *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\x89PNG", 4) == 0;
}

bool drv_bitmap_parse(const uint8_t *bytes, size_t size, const struct drv_greys *greys,
                      struct drv_bitmap *bitmap, const char **why)
{
    struct drv_image image;
    struct drv_bitmap b;

    if (is_png(bytes, size) ? !drv_png_read(bytes, size, &image, why)
                            : !drv_pgm_read(bytes, size, &image, why))
        return false;
    b = (struct drv_bitmap){.width = image.width, .height = image.height};
    b.cells = malloc((size_t)image.width * image.height);
    if (b.cells)
        fill(&image, greys, b.cells);
    else
        *why = "no memory for the map";
    free(image.pixels);
    if (b.cells)
        *bitmap = b;
    return b.cells != NULL;
}

static uint8_t *read_file(FILE *f, size_t *size)
{
    uint8_t *bytes = NULL, *more;
    size_t room = 0, n = 0, got;

    do {
        room = room ? room * 2 : 65536;
        more = room <= DRV_BITMAP_FILE_MAX ? realloc(bytes, room) : NULL;
        if (!more)
            break;
        bytes = more;
        got = fread(bytes + n, 1, room - n, f);
        n += got;
    } while (n == room);
    if (!more || ferror(f)) {
        free(bytes);
        return NULL;
    }
    *size = n;
    return bytes;
}

bool drv_bitmap_load(const char *path, const struct drv_greys *greys, struct drv_bitmap *bitmap,
                     const char **why)
{
    FILE *f = fopen(path, "rbe");
    uint8_t *bytes;
    size_t size;
    bool ok;

    if (!f) {
        *why = strerror(errno);
        return false;
    }
    bytes = read_file(f, &size);
    fclose(f);
    if (!bytes) {
        *why = "the image cannot be read, or is too large";
        return false;
    }
    ok = drv_bitmap_parse(bytes, size, greys, bitmap, why);
    free(bytes);
    return ok;
}

void drv_bitmap_finish(struct drv_bitmap *bitmap)
{
    free(bitmap->cells);
    bitmap->cells = NULL;
}
