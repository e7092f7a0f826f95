/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.c - images and grids in the form in which the page draws them */
#include <stdio.h>
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

/* How the pixels of an encoding are stored. False: it is not known. */
static bool picture_encoding(struct page_picture *p, const struct value *encoding)
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

static bool picture_raw(struct page_picture *p, const struct value *root)
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

static bool picture_compressed(struct page_picture *p, const struct value *root)
{
    static const uint8_t png[] = {0x89, 'P', 'N', 'G'};

    p->at = picture_bytes(root, "data", sizeof(png), &p->size);
    if (!p->at)
        return false;
    p->format = memcmp(p->at, png, sizeof(png)) == 0 ? FORMAT_PNG : FORMAT_JPEG;
    return p->format == FORMAT_PNG || (p->at[0] == 0xff && p->at[1] == 0xd8);
}

static uint8_t *picture_row(const struct page_picture *p, const uint8_t *row, uint8_t *to)
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

static size_t picture_pixels(const struct page_picture *p)
{
    return (size_t)p->width * p->height * (p->format == FORMAT_GREY ? 1 : 3);
}

/* The message without its data, and in its place how many bytes there are. False: it has no data. */
static bool picture_rest(struct page_picture *p, const struct value *root)
{
    bool found = false;
    size_t i;

    p->rest = *root;
    p->rest.items = p->members;
    for (i = 0; i < root->count && i < PAGE_PICTURE_MEMBERS; i++) {
        const struct value *member = &root->items[i];
        const struct value_text name = member->name;

        p->members[i] = *member;
        if (name.size != 4 || memcmp(name.at, "data", 4) != 0)
            continue;
        snprintf(p->told, sizeof(p->told), "%zu bytes", member->count);
        p->members[i] = (struct value){
            .name = name, .kind = VALUE_TEXT, .count = strlen(p->told), .text = p->told};
        found = true;
    }
    return found && i == root->count;
}

static bool picture_grid(struct page_picture *p, const struct value *root)
{
    uint32_t width = picture_side(root, "info.width"), height = picture_side(root, "info.height");

    p->cells = (size_t)width * height;
    p->at = p->cells ? picture_bytes(root, "data", p->cells, &p->size) : NULL;
    return p->at != NULL;
}

bool page_picture_find(struct page_picture *p, struct view_message *m)
{
    const enum view_picture kind = m->topic->picture;
    const struct value *root = kind == VIEW_PICTURE_NONE ? NULL : view_message_value(m);

    *p = (struct page_picture){.width = 0};
    if (!root || root->kind != VALUE_OBJECT)
        return false;
    if (kind == VIEW_PICTURE_GRID    ? !picture_grid(p, root)
        : kind == VIEW_PICTURE_IMAGE ? !picture_raw(p, root)
                                     : !picture_compressed(p, root))
        return false;
    return picture_rest(p, root);
}

#define HEAD (1u + 4)
#define IMAGE_HEAD (4u + 4 + 1)

struct view_blob *page_picture_blob(const struct page_picture *p, const struct view_blob *text)
{
    bool raw = p->format == FORMAT_RGB || p->format == FORMAT_GREY;
    size_t size = p->cells ? p->cells : IMAGE_HEAD + (raw ? picture_pixels(p) : p->size);
    uint8_t *bytes = malloc(HEAD + text->size + size), *to = bytes;
    uint32_t y;

    if (!bytes)
        return NULL;
    to = view_put(to, p->cells ? GRID : IMAGE, 1);
    to = view_put(to, text->size, 4);
    memcpy(to, text->bytes, text->size);
    to += text->size;
    if (p->cells) {
        memcpy(to, p->at, p->cells);
        return view_blob_adopt(bytes, HEAD + text->size + size);
    }
    to = view_put(to, p->width, 4);
    to = view_put(to, p->height, 4);
    to = view_put(to, p->format, 1);
    if (!raw)
        memcpy(to, p->at, p->size);
    for (y = 0; raw && y < p->height; y++)
        to = picture_row(p, p->at + y * p->step, to);
    return view_blob_adopt(bytes, HEAD + text->size + size);
}
