/* SPDX-License-Identifier: BSD-3-Clause */
/* bitmap.c - PGM images, as numbers (P2) or as bytes (P5) */
#include "bitmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *at, *end;
    bool plain;
    unsigned max;
};

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Spaces, and comments up to the end of their line. */
static void skip(struct input *in)
{
    while (in->at < in->end && (is_space(*in->at) || *in->at == '#')) {
        if (*in->at == '#')
            while (in->at < in->end && *in->at != '\n')
                in->at++;
        else
            in->at++;
    }
}

static bool number(struct input *in, unsigned max, unsigned *value)
{
    unsigned n = 0;

    skip(in);
    if (in->at == in->end || *in->at < '0' || *in->at > '9')
        return false;
    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
        n = n * 10 + (unsigned)(*in->at - '0');
        if (n > max)
            return false;
    }
    *value = n;
    return true;
}

static bool header(struct input *in, struct drv_sim_bitmap *b)
{
    if (in->end - in->at < 2 || in->at[0] != 'P' || (in->at[1] != '2' && in->at[1] != '5'))
        return false;
    in->plain = in->at[1] == '2';
    in->at += 2;
    if (!number(in, DRV_SIM_SIDE_MAX, &b->width) || !number(in, DRV_SIM_SIDE_MAX, &b->height) ||
        !number(in, 65535, &in->max))
        return false;
    if (!in->plain && (in->at == in->end || !is_space(*in->at++)))
        return false;
    return b->width > 0 && b->height > 0 && in->max > 0;
}

static bool pixel(struct input *in, unsigned *value)
{
    size_t bytes = in->max > 255 ? 2 : 1;

    if (in->plain)
        return number(in, in->max, value);
    if ((size_t)(in->end - in->at) < bytes)
        return false;
    *value = bytes == 2 ? (unsigned)in->at[0] << 8 | in->at[1] : in->at[0];
    in->at += bytes;
    return true;
}

static int8_t cell(const struct drv_sim_greys *greys, double white)
{
    if (white < greys->occupied_below)
        return DRV_SIM_OCCUPIED;
    return white > greys->free_above ? DRV_SIM_FREE : DRV_SIM_UNKNOWN;
}

/* The first row of an image is the top one; the first row of cells is the lowest. */
static bool bitmap_fill(struct input *in, const struct drv_sim_greys *greys,
                        struct drv_sim_bitmap *b)
{
    unsigned row, col, value;

    for (row = b->height; row-- > 0;)
        for (col = 0; col < b->width; col++) {
            if (!pixel(in, &value))
                return false;
            b->cells[(size_t)row * b->width + col] = cell(greys, (double)value / in->max);
        }
    return true;
}

/* Each pixel needs at least a byte in the file: so the file's size bounds the memory. */
bool drv_sim_bitmap_parse(const uint8_t *bytes, size_t size, const struct drv_sim_greys *greys,
                          struct drv_sim_bitmap *bitmap, const char **why)
{
    struct input in = {.at = bytes, .end = bytes + size};
    struct drv_sim_bitmap b;
    size_t cells;

    if (!header(&in, &b)) {
        *why = "not a PGM image, or too large";
        return false;
    }
    if ((size_t)b.width * b.height > (size_t)(in.end - in.at)) {
        *why = "the image is cut off";
        return false;
    }
    cells = (size_t)b.width * b.height;
    b.cells = malloc(cells ? cells : 1);
    if (!b.cells) {
        *why = "no memory for the map";
        return false;
    }
    if (!bitmap_fill(&in, greys, &b)) {
        free(b.cells);
        *why = "the image is cut off, or a grey value is not a number";
        return false;
    }
    *bitmap = b;
    return true;
}

static uint8_t *read_file(FILE *f, size_t *size)
{
    uint8_t *bytes = NULL, *more;
    size_t room = 0, n = 0, got;

    do {
        room = room ? room * 2 : 65536;
        more = room <= DRV_SIM_FILE_MAX ? realloc(bytes, room) : NULL;
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

bool drv_sim_bitmap_load(const char *path, const struct drv_sim_greys *greys,
                         struct drv_sim_bitmap *bitmap, const char **why)
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
    ok = drv_sim_bitmap_parse(bytes, size, greys, bitmap, why);
    free(bytes);
    return ok;
}

void drv_sim_bitmap_finish(struct drv_sim_bitmap *bitmap)
{
    free(bitmap->cells);
    bitmap->cells = NULL;
}
