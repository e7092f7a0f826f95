/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channel.h - devices as channels of this machine
 *
 * Programs that know nothing of devices can read a device's data with ach_get:
 * dev.6665.laser.0.data holds ACH_FRAME_HEADER bytes of header, then the body
 * as ach_decode takes it.
 */
#ifndef ACH_CHANNEL_TRANSPORT_H
#define ACH_CHANNEL_TRANSPORT_H

#include <ach/transport.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The transport "channel". Serves a robot; ach_device_open knows the other end. */
extern const ach_transport_class_t ach_transport_channel;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
