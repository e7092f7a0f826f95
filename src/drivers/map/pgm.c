/* SPDX-License-Identifier: BSD-3-Clause */
/* pgm.c - PGM images, as numbers (P2) or as bytes (P5) */
#include <stdlib.h>

#include "image.h"

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

static bool header(struct input *in, struct drv_image *image)
{
    if (in->end - in->at < 2 || in->at[0] != 'P' || (in->at[1] != '2' && in->at[1] != '5'))
        return false;
    in->plain = in->at[1] == '2';
    in->at += 2;
    if (!number(in, DRV_BITMAP_SIDE_MAX, &image->width) ||
        !number(in, DRV_BITMAP_SIDE_MAX, &image->height) || !number(in, 65535, &in->max))
        return false;
    if (!in->plain && (in->at == in->end || !is_space(*in->at++)))
        return false;
    return image->width > 0 && image->height > 0 && in->max > 0;
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

/* Each pixel needs at least a byte in the file: so the file's size bounds the memory. */
bool drv_pgm_read(const uint8_t *bytes, size_t size, struct drv_image *image, const char **why)
{
    struct input in = {.at = bytes, .end = bytes + size};
    size_t i, n;
    unsigned value;

    if (!header(&in, image)) {
        *why = "not a " DRV_BITMAP_FORMATS ", or too large";
        return false;
    }
    n = (size_t)image->width * image->height;
    if (n > (size_t)(in.end - in.at)) {
        *why = "the image is cut off";
        return false;
    }
    image->pixels = malloc(n * sizeof(*image->pixels));
    if (!image->pixels) {
        *why = "no memory for the image";
        return false;
    }
    for (i = 0; i < n && pixel(&in, &value); i++)
        image->pixels[i] = (uint16_t)(value * (uint64_t)DRV_WHITE / in.max);
    if (i == n)
        return true;
    free(image->pixels);
    *why = "the image is cut off, or a grey value is not a number";
    return false;
}
