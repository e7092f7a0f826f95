/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * atlas.h - a driver with a large map
 *
 * atlas  one map, of `side` by `side` cells: the answer to GET_DATA is all of them. They are noise, which
 *        takes long to compress; with `noise no` they are all the same
 */
#ifndef TCP_ATLAS_H
#define TCP_ATLAS_H

#include <ach/driver.h>

extern const ach_driver_class_t atlas_class;

#endif
