/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * barcode.h - find barcodes in the scan of a laser
 *
 * A barcode is flat and has strips of equal width side by side. A strip that reflects the laser is
 * a 1. The first and the last strip are 1, so that the ends can be seen. The strip at the smallest
 * angle is the lowest bit of the number.
 */
#ifndef DRV_BARCODE_H
#define DRV_BARCODE_H

#include <ach/interface/fiducial.h>
#include <ach/interface/laser.h>

#define DRV_BARCODE_BITS_MAX 30

struct drv_barcode_options {
    int bits;
    double width;     /* of a strip, m */
    double depth;     /* largest distance of a point from the line between the ends, m */
    double accept;    /* smallest number of rays that must hit a strip */
    double zero, one; /* larger share of these rays that makes the strip a 0 or a 1 */
};

/*
 * Returns how many were found, at most @max. Their poses are those of their middles, seen from the
 * laser; the front of a barcode faces along its yaw. The id is -1 if a strip could not be read.
 */
uint32_t drv_barcode_find(const ach_laser_data_t *scan, const struct drv_barcode_options *o,
                          ach_fiducial_item_t *found, uint32_t max);

#endif
