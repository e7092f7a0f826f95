/* SPDX-License-Identifier: BSD-3-Clause */
/* device_frame.h - messages in the channels of devices */
#ifndef DEVICE_FRAME_H
#define DEVICE_FRAME_H

#include "decode.h"

/* Is this a channel of a device? */
bool device_channel(const char *name);

/* The name of the interface whose messages a device's channel holds; NULL: of several, or none. */
const char *device_interface(const char *channel);

/*
 * Print the definitions of the messages of a channel that has an interface. False after
 * complaining.
 */
bool device_show(const char *channel);

/* Decode a message with its header. False: it is none of a device. */
bool device_decode(const void *data, size_t size, struct decoded *out);

/*
 * The definition of a struct of an interface, such as laser.data, and its name in ROS; free both.
 * False after complaining.
 */
bool device_definition(const char *name, char **type, char **text);

#endif
