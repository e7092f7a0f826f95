/* SPDX-License-Identifier: BSD-3-Clause */
#include "map.h"

#include <ach.h>
#include <ach/interface/map.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t drv_map_messages[][2] = {
    {ACH_MSG_REQ, ACH_MAP_REQ_GET_INFO}, {ACH_MSG_REQ, ACH_MAP_REQ_GET_DATA}, {0, 0}};

void drv_map_load(struct drv_map *map, ach_section_t *options, const char *option,
                  const struct drv_greys *greys)
{
    const char *path = ach_section_path(options, option, NULL), *why;
    char text[512];

    if (!path)
        ach_section_refuse(options, option, 0, "the name of a " DRV_BITMAP_FORMATS);
    else if (!drv_bitmap_load(path, greys, &map->bitmap, &why)) {
        snprintf(text, sizeof(text), "a " DRV_BITMAP_FORMATS "; %s: %s", path, why);
        ach_section_refuse(options, option, 0, text);
    }
}

void drv_map_finish(struct drv_map *map)
{
    drv_bitmap_finish(&map->bitmap);
}

static ach_status_t get_info(const struct drv_map *map, ach_driver_t *driver,
                             const ach_message_t *m)
{
    ach_map_info_t info = {.scale = (float)map->scale,
                           .width = map->bitmap.width,
                           .height = map->bitmap.height,
                           .origin = {.px = map->x0, .py = map->y0}};

    return ach_driver_reply(driver, m, ACH_MSG_ACK, &info);
}

static bool inside(const struct drv_bitmap *b, const ach_map_data_t *tile)
{
    return tile->col < b->width && tile->width <= b->width - tile->col && tile->row < b->height &&
           tile->height <= b->height - tile->row &&
           (uint64_t)tile->width * tile->height <= ACH_MAP_DATA_DATA_MAX;
}

static ach_status_t get_data(const struct drv_bitmap *b, ach_driver_t *driver,
                             const ach_message_t *m)
{
    const ach_map_data_t *asked = ach_message_body(m);
    ach_map_data_t tile;
    ach_status_t status;
    uint32_t row;

    if (!asked || !inside(b, asked))
        return ACH_ENOTSUP;
    tile = *asked;
    tile.data_range = DRV_CELL_OCCUPIED;
    tile.data_count = tile.width * tile.height;
    tile.data = malloc(tile.data_count + 1);
    if (!tile.data)
        return ACH_ENOTSUP;
    for (row = 0; row < tile.height; row++)
        memcpy(tile.data + (size_t)row * tile.width,
               b->cells + (size_t)(tile.row + row) * b->width + tile.col, tile.width);
    status = ach_driver_reply(driver, m, ACH_MSG_ACK, &tile);
    free(tile.data);
    return status;
}

ach_status_t drv_map_process(const struct drv_map *map, ach_driver_t *driver,
                             const ach_message_t *m)
{
    if (ach_message_is(m, NULL, ACH_MSG_REQ, ACH_MAP_REQ_GET_INFO))
        return get_info(map, driver, m);
    if (ach_message_is(m, NULL, ACH_MSG_REQ, ACH_MAP_REQ_GET_DATA))
        return get_data(&map->bitmap, driver, m);
    return ACH_ENOTSUP;
}
