/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.c - images and grids in the form in which the page draws them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "page.h"
#include "path.h"

#define IMAGE 2
#define GRID 3
#define SIDE_MAX 16384u

enum picture_format {
    FORMAT_JPEG,
    FORMAT_PNG,
    FORMAT_RGB,
    FORMAT_GREY,
};

static const struct value *picture_member(const struct value *object, const char *name)
{
    return object && object->kind == VALUE_OBJECT ? value_member(object, name, strlen(name)) : NULL;
}

/* 0: there is none. */
static double picture_real(const struct value *root, const char *path)
{
    struct value v;
    double real;

    return value_find(root, path, &v) == ACH_OK && value_real(&v, &real) ? real : 0;
}

/* A side of a picture; 0: none that is possible. */
static uint32_t picture_side(const struct value *root, const char *path)
{
    double n = picture_real(root, path);

    return n >= 1 && n <= SIDE_MAX ? (uint32_t)n : 0;
}

/* Bytes of a list of numbers of 8 bits. NULL: there is none of this size. */
static const uint8_t *picture_bytes(const struct value *root, const char *name, size_t least,
                                    size_t *size)
{
    const struct value *v = picture_member(root, name);
    bool packed = v && v->kind == VALUE_PACKED &&
                  (v->element == VALUE_UINT8 || v->element == VALUE_INT8) && v->numbers;

    if (!v || (!packed && v->kind != VALUE_BYTES) || v->count < least)
        return NULL;
    *size = v->count;
    return packed ? v->numbers : (const uint8_t *)v->text;
}

struct picture {
    uint32_t width, height, format;
    size_t step;       /* bytes of a row */
    unsigned bytes;    /* of a pixel */
    unsigned order[3]; /* of red, green and blue in it */
    const uint8_t *at;
    size_t size;
};

/* How the pixels of an encoding are stored. False: it is not known. */
static bool picture_encoding(struct picture *p, const struct value *encoding)
{
    static const struct {
        const char *name;
        enum picture_format format;
        unsigned bytes, order[3];
    } known[] = {
        {"rgb8", FORMAT_RGB, 3, {0, 1, 2}},   {"bgr8", FORMAT_RGB, 3, {2, 1, 0}},
        {"rgba8", FORMAT_RGB, 4, {0, 1, 2}},  {"bgra8", FORMAT_RGB, 4, {2, 1, 0}},
        {"8UC3", FORMAT_RGB, 3, {2, 1, 0}},   {"mono8", FORMAT_GREY, 1, {0, 0, 0}},
        {"8UC1", FORMAT_GREY, 1, {0, 0, 0}},  {"mono16", FORMAT_GREY, 2, {1, 1, 1}},
        {"16UC1", FORMAT_GREY, 2, {1, 1, 1}},
    };
    size_t i;

    for (i = 0; encoding && i < sizeof(known) / sizeof(known[0]); i++)
        if (encoding->kind == VALUE_TEXT && encoding->count == strlen(known[i].name) &&
            memcmp(encoding->text, known[i].name, encoding->count) == 0) {
            p->format = known[i].format;
            p->bytes = known[i].bytes;
            memcpy(p->order, known[i].order, sizeof(p->order));
            return true;
        }
    return false;
}

static bool picture_raw(struct picture *p, const struct value *root)
{
    size_t need;

    p->width = picture_side(root, "width");
    p->height = picture_side(root, "height");
    if (!p->width || !p->height || !picture_encoding(p, picture_member(root, "encoding")))
        return false;
    p->step = (size_t)picture_real(root, "step");
    if (p->step < (size_t)p->width * p->bytes)
        p->step = (size_t)p->width * p->bytes;
    need = p->step * (p->height - 1) + (size_t)p->width * p->bytes;
    p->at = picture_bytes(root, "data", need, &p->size);
    return p->at != NULL;
}

static bool picture_compressed(struct picture *p, const struct value *root)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G'};

    p->at = picture_bytes(root, "data", sizeof(png), &p->size);
    if (!p->at)
        return false;
    p->format = memcmp(p->at, png, sizeof(png)) == 0 ? FORMAT_PNG : FORMAT_JPEG;
    return p->format == FORMAT_PNG || (p->at[0] == 0xff && p->at[1] == 0xd8);
}

static uint8_t *picture_row(const struct picture *p, const uint8_t *row, uint8_t *to)
{
    unsigned colours = p->format == FORMAT_GREY ? 1 : 3, i;
    uint32_t x;

    if (p->bytes == colours && p->order[0] == 0) {
        memcpy(to, row, (size_t)p->width * p->bytes);
        return to + (size_t)p->width * p->bytes;
    }
    for (x = 0; x < p->width; x++, row += p->bytes)
        for (i = 0; i < colours; i++)
            *to++ = row[p->order[i]];
    return to;
}

static size_t picture_pixels(const struct picture *p)
{
    return (size_t)p->width * p->height * (p->format == FORMAT_GREY ? 1 : 3);
}

#define IMAGE_HEAD (1u + 4 + 8 + 8 + 4 + 4 + 1 + 4)

static struct view_blob *picture_image(const struct picture *p, const struct view_message *m,
                                       uint64_t dropped)
{
    bool raw = p->format == FORMAT_RGB || p->format == FORMAT_GREY;
    size_t size = raw ? picture_pixels(p) : p->size;
    uint8_t *bytes = size <= UINT32_MAX ? malloc(IMAGE_HEAD + size) : NULL, *to = bytes;
    uint32_t y;

    if (!bytes)
        return NULL;
    to = view_put(to, IMAGE, 1);
    to = view_put(to, m->topic->id, 4);
    to = view_put_double(to, page_time(m->put));
    to = view_put(to, dropped, 8);
    to = view_put(to, p->width, 4);
    to = view_put(to, p->height, 4);
    to = view_put(to, p->format, 1);
    to = view_put(to, size, 4);
    if (!raw)
        memcpy(to, p->at, size);
    for (y = 0; raw && y < p->height; y++)
        to = picture_row(p, p->at + y * p->step, to);
    return view_blob_adopt(bytes, IMAGE_HEAD + size);
}

#define GRID_HEAD (1u + 4 + 8 + 4 + 4 + 4 + 4 + 4 + 4 + 1)
#define FRAME_MAX 255u

/* The angle in the plane. */
static double picture_yaw(const struct value *root)
{
    double x = picture_real(root, "info.origin.orientation.x"),
           y = picture_real(root, "info.origin.orientation.y"),
           z = picture_real(root, "info.origin.orientation.z"),
           w = picture_real(root, "info.origin.orientation.w");

    return atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

static struct view_blob *picture_grid(const struct value *root, const struct view_message *m)
{
    uint32_t width = picture_side(root, "info.width"), height = picture_side(root, "info.height");
    size_t cells = (size_t)width * height, size;
    const uint8_t *data = cells ? picture_bytes(root, "data", cells, &size) : NULL;
    const struct value *frame = picture_member(root, "header.frame_id");
    size_t name =
        frame && frame->kind == VALUE_TEXT && frame->count <= FRAME_MAX ? frame->count : 0;
    uint8_t *bytes = data ? malloc(GRID_HEAD + name + cells) : NULL, *to = bytes;

    if (!bytes)
        return NULL;
    to = view_put(to, GRID, 1);
    to = view_put(to, m->topic->id, 4);
    to = view_put_double(to, page_time(m->put));
    to = view_put(to, width, 4);
    to = view_put(to, height, 4);
    to = view_put_float(to, (float)picture_real(root, "info.resolution"));
    to = view_put_float(to, (float)picture_real(root, "info.origin.position.x"));
    to = view_put_float(to, (float)picture_real(root, "info.origin.position.y"));
    to = view_put_float(to, (float)picture_yaw(root));
    to = view_put(to, name, 1);
    if (name)
        memcpy(to, frame->text, name);
    memcpy(to + name, data, cells);
    return view_blob_adopt(bytes, GRID_HEAD + name + cells);
}

struct view_blob *page_picture(struct view_message *m, uint64_t dropped)
{
    const struct value *root =
        m->topic->picture == VIEW_PICTURE_NONE ? NULL : view_message_value(m);
    struct picture p = {.width = 0};

    if (!root)
        return NULL;
    if (m->topic->picture == VIEW_PICTURE_GRID)
        return picture_grid(root, m);
    if (m->topic->picture == VIEW_PICTURE_IMAGE ? picture_raw(&p, root)
                                                : picture_compressed(&p, root))
        return picture_image(&p, m, dropped);
    return NULL;
}
