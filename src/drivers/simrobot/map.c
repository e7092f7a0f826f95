/* SPDX-License-Identifier: BSD-3-Clause */
/* map.c - the world's options, and the map device */
#include "sim.h"

ach_status_t drv_sim_map_options(struct drv_sim *s, ach_section_t *o)
{
    struct drv_greys greys = {.occupied_below = ach_section_double(o, "occupied_below", 0.35),
                              .free_above = ach_section_double(o, "free_above", 0.8)};

    s->world.scale = ach_section_length(o, "resolution", 0.05);
    s->world.x0 = ach_section_tuple_length(o, "origin", 0, 0);
    s->world.y0 = ach_section_tuple_length(o, "origin", 1, 0);
    if (!(s->world.scale >= 0.001 && s->world.scale <= 100))
        ach_section_refuse(o, "resolution", 0, "a length from 1 mm to 100 m");
    drv_map_load(&s->world, o, "bitmap", &greys);
    return drv_sim_provide(s, ACH_MAP_CODE, drv_map_messages, &s->map);
}

ach_status_t drv_sim_map_process(struct drv_sim *s, const ach_message_t *m)
{
    return drv_map_process(&s->world, s->driver, m);
}
