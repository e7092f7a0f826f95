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

struct achi_convert {
    ach_address_t here, there;
    struct achi_asked asked;
    void *geom; /* the last that was told; NULL: none yet */
};

/* Provide one device and require the other. */
ach_status_t achi_convert_claim(ach_driver_t *driver, struct achi_convert *c, uint16_t here,
                                uint16_t there);

/* The requests and no others that a converter understands: 0 ends the list. */
ach_status_t achi_convert_handles(ach_driver_t *driver, const struct achi_convert *c,
                                  const uint8_t *requests);

/* Publish a geometry of this type if it is another than before. */
ach_status_t achi_convert_moved(ach_driver_t *driver, struct achi_convert *c,
                                const ach_type_t *type, uint8_t subtype, const void *geom);

/* For shutdown: nothing is under way, and no geometry was told. */
void achi_convert_reset(struct achi_convert *c);

#endif
