/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * convert.h - what drivers share that show one device as one of another interface
 *
 * A converter has one device on each side. Requests are asked of the other
 * device in its own words, and its answers translated. Whenever the geometry
 * that it tells is not the one it told before, that is published as data.
 */
#ifndef ACHI_CONVERT_H
#define ACHI_CONVERT_H

#include <ach/driver.h>
#include <ach/interface/ranger.h>

#include "asked.h"

/* The first member of a converter's state. */
struct achi_convert {
    ach_address_t here, there;
    struct achi_asked asked;
    void *geom; /* the last that was told; NULL: none yet */
};

/* From which interface to which, and the requests that it understands: 0 ends the list. */
struct achi_conversion {
    uint16_t here, there;
    uint8_t requests[8];
};

/* For create: a state of so many bytes, which are 0; provides one device, requires the other. */
ach_status_t achi_convert_create(ach_driver_t *driver, const struct achi_conversion *conversion,
                                 size_t size, void **state);

/* For destroy: frees the state. */
void achi_convert_destroy(ach_driver_t *driver, void *state);

/* Publish a geometry of this type if it is another than before. */
ach_status_t achi_convert_moved(ach_driver_t *driver, struct achi_convert *c,
                                const ach_type_t *type, uint8_t subtype, const void *geom);

/* For setup: where to look first. Who asked is nobody. */
void achi_convert_ask(ach_driver_t *driver, struct achi_convert *c, uint8_t request);

/* For shutdown: nothing is under way, and no geometry was told. */
void achi_convert_shutdown(ach_driver_t *driver, void *state);

#endif
