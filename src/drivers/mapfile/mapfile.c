/* SPDX-License-Identifier: BSD-3-Clause */
/* mapfile - a map device from an image */
#include <ach.h>
#include <ach/interface/map.h>
#include <stdlib.h>

#include "../drivers.h"
#include "../map/map.h"

/* The thresholds of Player's driver. */
#define OCCUPIED_BELOW 0.05
#define FREE_ABOVE 0.9

static void mapfile_destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    drv_map_finish(state);
    free(state);
}

/* By default the middle of the image is at 0, 0. */
static void mapfile_read_options(ach_section_t *options, struct drv_map *map)
{
    struct drv_greys greys = {.occupied_below = OCCUPIED_BELOW,
                              .free_above = FREE_ABOVE,
                              .negate = ach_section_bool(options, "negate", false)};

    map->scale = ach_section_length(options, "resolution", 0);
    if (!(map->scale > 0))
        ach_section_refuse(options, "resolution", 0, "the length of a pixel, above 0");
    drv_map_load(map, options, "filename", &greys);
    map->x0 = ach_section_tuple_length(options, "origin", 0, -map->scale * map->bitmap.width / 2);
    map->y0 = ach_section_tuple_length(options, "origin", 1, -map->scale * map->bitmap.height / 2);
    ach_section_tuple_angle(options, "origin", 2, 0); /* Player ignores the angle as well */
}

static ach_status_t mapfile_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct drv_map *map = calloc(1, sizeof(*map));
    const uint8_t(*m)[2] = drv_map_messages;
    ach_address_t here;
    ach_status_t status;

    if (!map)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    mapfile_read_options(options, map);
    status = ach_driver_provide(driver, ACH_MAP_CODE, NULL, &here);
    for (; (*m)[0] && status == ACH_OK; m++)
        status = ach_driver_handles(driver, &here, (*m)[0], (*m)[1]);
    if (status == ACH_OK)
        *state = map;
    else
        mapfile_destroy(driver, map);
    return status;
}

static ach_status_t mapfile_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    return drv_map_process(state, driver, message);
}

const ach_driver_class_t drv_driver_mapfile = {
    .version = ACH_DRIVER_VERSION,
    .name = "mapfile",
    .create = mapfile_create,
    .destroy = mapfile_destroy,
    .process = mapfile_process,
};
