/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * convert.h - shared code of drivers that present a device under another interface
 *
 * A converter provides one device (here) and requires one (there). Requests are translated to the
 * other device's interface, and its answers back. When the geometry in an answer differs from the
 * last one, it is published as data.
 */
#ifndef DRV_CONVERT_H
#define DRV_CONVERT_H

#include <ach/driver.h>
#include <ach/interface/ranger.h>

#include "pending.h"

/* The first member of a converter's state. */
struct drv_convert {
    ach_address_t here, there;
    struct pending_table asked;
    void *geom; /* the last published geometry; NULL: none yet */
};

/* The two interfaces, and the requests that are supported here: 0 ends the list. */
struct drv_conversion {
    uint16_t here, there;
    uint8_t requests[8];
};

/* For create: allocate a zeroed state of size bytes, provide one device, require the other. */
ach_status_t drv_convert_create(ach_driver_t *driver, const struct drv_conversion *conversion,
                                size_t size, void **state);

/* For destroy: frees the state. */
void drv_convert_destroy(ach_driver_t *driver, void *state);

/* Publish a geometry of this type if it has changed. */
ach_status_t drv_convert_moved(ach_driver_t *driver, struct drv_convert *c, const ach_type_t *type,
                               uint8_t subtype, const void *geom);

/* For setup: send a request to the other device on the driver's own behalf. */
void drv_convert_ask(ach_driver_t *driver, struct drv_convert *c, uint8_t request);

/* For shutdown: drop the pending requests and the last geometry. */
void drv_convert_shutdown(ach_driver_t *driver, void *state);

#endif
