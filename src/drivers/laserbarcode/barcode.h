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

#include <ach/interface/laser.h>
#include <stddef.h>

#define DRV_BARCODE_BITS_MAX 30

struct drv_barcode_options {
    int bits;
    double width;     /* of a strip, m */
    double depth;     /* largest distance of a point from the line between the ends, m */
    double accept;    /* smallest number of rays that must hit a strip */
    double zero, one; /* larger share of these rays that makes the strip a 0 or a 1 */
};

struct drv_barcode {
    int id;            /* -1: a strip could not be read */
    ach_pose2d_t pose; /* of its middle, seen from the laser; its front faces along pa */
};

/* Returns how many were found, at most @max. */
size_t drv_barcode_find(const ach_laser_data_t *scan, const struct drv_barcode_options *o,
                        struct drv_barcode *found, size_t max);

#endif
