/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * atlas.h - a driver with a large map
 *
 * atlas  one map of `side` by `side` cells; GET_DATA is answered with all of them. The cells are
 *        noise, which takes long to compress; with `noise no` they are all equal
 */
#ifndef TCP_ATLAS_H
#define TCP_ATLAS_H

#include <ach/driver.h>

extern const ach_driver_class_t atlas_class;

#endif
