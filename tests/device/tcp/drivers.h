/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drivers.h - drivers for tests of a transport
 *
 * puppet  any devices. The opaque device with the key "control" obeys commands, which are text:
 *             say INTERFACE INDEX SUBTYPE COUNT HEX   publish these bytes COUNT times
 *             answer                                  answer all held requests with a NACK
 *             die                                     return from main
 *         Option `does`: "refuse" requests (default), "echo" commands as data and requests as
 *         ACKs, "hold" requests until "answer", or "fail". Option `sleep_ms`: time per message.
 * dummy   the same driver, under the name dummy
 * vfh     one device, whose setup fails
 * ticker  publishes position2d `rate` times a second; px counts, py is the time
 * atlas   a large map, see atlas.h
 * passer  one device that passes all messages to and from the device that it requires
 */
#ifndef TCP_DRIVERS_H
#define TCP_DRIVERS_H

#include <ach/robot.h>

void add_drivers(ach_robot_t *robot);

#endif
