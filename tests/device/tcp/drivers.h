/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drivers.h - drivers for tests of a transport
 *
 * puppet  any devices. The one with the key "control", an opaque, is told what to do by
 *         commands of text:
 *             say INTERFACE INDEX SUBTYPE COUNT HEX   publish these bytes so often
 *             answer                                  answer all requests that are held
 *         Option `does`: "refuse" requests (default), "echo" commands as data and requests as
 *         ACKs, "hold" requests until told, or "fail". Option `sleep_ms`: for each message.
 * dummy   the same, by the name that clients see
 * vfh     one device, whose setup fails
 * ticker  publishes position2d `rate` times a second; px counts, py is the time
 * atlas   a large map, see atlas.h
 * passer  one device that stands for one which it requires
 */
#ifndef TCP_DRIVERS_H
#define TCP_DRIVERS_H

#include <ach/robot.h>

void add_drivers(ach_robot_t *robot);

#endif
