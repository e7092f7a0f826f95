/* SPDX-License-Identifier: BSD-3-Clause */
/* map.h - a bitmap with a place in the world, as a map device */
#ifndef DRV_MAP_H
#define DRV_MAP_H

#include <ach/driver.h>

#include "bitmap.h"

struct drv_map {
    struct drv_bitmap bitmap;
    double scale;  /* size of a cell, m */
    double x0, y0; /* lower left corner of the map, m */
};

/* Read the image that an option names. An error is among ach_config_errors. */
void drv_map_load(struct drv_map *map, ach_section_t *options, const char *option,
                  const struct drv_greys *greys);
void drv_map_finish(struct drv_map *map);

/* The messages that drv_map_process handles: pairs of type and subtype; {0, 0} ends them. */
extern const uint8_t drv_map_messages[][2];

/* Answer a request of a map device. ACH_ENOTSUP: it is none, or the tile is outside of the map. */
ach_status_t drv_map_process(const struct drv_map *map, ach_driver_t *driver,
                             const ach_message_t *m);

#endif
