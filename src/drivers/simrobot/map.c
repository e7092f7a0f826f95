/* SPDX-License-Identifier: BSD-3-Clause */
/* map.c - the bitmap as a map device, in tiles */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static const uint8_t messages[][2] = {
    {ACH_MSG_REQ, ACH_MAP_REQ_GET_INFO}, {ACH_MSG_REQ, ACH_MAP_REQ_GET_DATA}, {0, 0}};

static void load(struct drv_sim *s, ach_section_t *o)
{
    struct drv_sim_greys greys = {.occupied_below = ach_section_double(o, "occupied_below", 0.35),
                                  .free_above = ach_section_double(o, "free_above", 0.8)};
    const char *path = ach_section_path(o, "bitmap", NULL), *why;
    char text[512];

    if (!path)
        ach_section_refuse(o, "bitmap", 0, "the name of a PGM image");
    else if (!drv_sim_bitmap_load(path, &greys, &s->world.map, &why)) {
        snprintf(text, sizeof(text), "a PGM image; %s: %s", path, why);
        ach_section_refuse(o, "bitmap", 0, text);
    }
}

ach_status_t drv_sim_map_options(struct drv_sim *s, ach_section_t *o)
{
    s->world.scale = ach_section_length(o, "resolution", 0.05);
    s->world.x0 = ach_section_tuple_length(o, "origin", 0, 0);
    s->world.y0 = ach_section_tuple_length(o, "origin", 1, 0);
    if (!(s->world.scale >= 0.001 && s->world.scale <= 100))
        ach_section_refuse(o, "resolution", 0, "a length from 1 mm to 100 m");
    load(s, o);
    return drv_sim_provide(s, ACH_MAP_CODE, messages, &s->map);
}

static ach_status_t get_info(struct drv_sim *s, const ach_message_t *m)
{
    ach_map_info_t info = {.scale = (float)s->world.scale,
                           .width = s->world.map.width,
                           .height = s->world.map.height,
                           .origin = {.px = s->world.x0, .py = s->world.y0}};

    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &info);
}

static bool inside(const struct drv_sim_bitmap *b, const ach_map_data_t *tile)
{
    return tile->col < b->width && tile->width <= b->width - tile->col && tile->row < b->height &&
           tile->height <= b->height - tile->row &&
           (uint64_t)tile->width * tile->height <= ACH_MAP_DATA_DATA_MAX;
}

static ach_status_t get_data(struct drv_sim *s, const ach_message_t *m)
{
    const struct drv_sim_bitmap *b = &s->world.map;
    const ach_map_data_t *asked = ach_message_body(m);
    ach_map_data_t tile;
    ach_status_t status;
    uint32_t row;

    if (!asked || !inside(b, asked))
        return ACH_ENOTSUP;
    tile = *asked;
    tile.data_range = DRV_SIM_OCCUPIED;
    tile.data_count = tile.width * tile.height;
    tile.data = malloc(tile.data_count + 1);
    if (!tile.data)
        return ACH_ENOTSUP;
    for (row = 0; row < tile.height; row++)
        memcpy(tile.data + (size_t)row * tile.width,
               b->cells + (size_t)(tile.row + row) * b->width + tile.col, tile.width);
    status = ach_driver_reply(s->driver, m, ACH_MSG_ACK, &tile);
    free(tile.data);
    return status;
}

ach_status_t drv_sim_map_process(struct drv_sim *s, const ach_message_t *m)
{
    if (ach_message_is(m, NULL, ACH_MSG_REQ, ACH_MAP_REQ_GET_INFO))
        return get_info(s, m);
    if (ach_message_is(m, NULL, ACH_MSG_REQ, ACH_MAP_REQ_GET_DATA))
        return get_data(s, m);
    return ACH_ENOTSUP;
}
