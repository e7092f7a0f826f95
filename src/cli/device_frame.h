/* SPDX-License-Identifier: BSD-3-Clause */
/* device_frame.h - messages in the channels of devices */
#ifndef DEVICE_FRAME_H
#define DEVICE_FRAME_H

#include "decode.h"

/* Is this a channel of a device? */
bool device_channel(const char *name);

/* Decode a message with its header. False: it is none of a device. */
bool device_decode(const void *data, size_t size, struct decoded *out);

#endif
