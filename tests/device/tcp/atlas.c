/* SPDX-License-Identifier: BSD-3-Clause */
#include "atlas.h"

#include <ach.h>
#include <ach/interface/map.h>
#include <stdlib.h>

struct atlas {
    ach_address_t address;
    uint32_t side;
    int8_t *cells;
};

static void destroy(ach_driver_t *driver, void *state)
{
    struct atlas *a = state;

    (void)driver;
    free(a->cells);
    free(a);
}

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct atlas *a = calloc(1, sizeof(*a));
    uint32_t noise = (uint32_t)ach_section_bool(options, "noise", true);
    size_t i, n;

    if (!a)
        return ACH_FAILED_SYSCALL;
    *state = a;
    a->side = (uint32_t)ach_section_int(options, "side", 1024);
    n = (size_t)a->side * a->side;
    a->cells = malloc(n + 1);
    if (!a->cells)
        return ACH_FAILED_SYSCALL;
    for (i = 0; i < n; i++) {
        noise = noise ? noise * 1664525u + 1013904223u : 0;
        a->cells[i] = (int8_t)(noise >> 30);
    }
    return ach_driver_provide(driver, ACH_MAP_CODE, NULL, &a->address);
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    const struct atlas *a = state;
    const ach_map_data_t data = {.width = a->side,
                                 .height = a->side,
                                 .data_count = a->side * a->side,
                                 .data_range = 127,
                                 .data = a->cells};

    if (!ach_message_is(m, &a->address, ACH_MSG_REQ, ACH_MAP_REQ_GET_DATA))
        return ACH_ENOTSUP;
    return ach_driver_reply(driver, m, ACH_MSG_ACK, &data);
}

const ach_driver_class_t atlas_class = {.version = ACH_DRIVER_VERSION,
                                        .name = "atlas",
                                        .create = create,
                                        .destroy = destroy,
                                        .process = process};
