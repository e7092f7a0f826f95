/* SPDX-License-Identifier: BSD-3-Clause */
/* decode.h - decode messages of devices in channels, by their interface definitions */
#ifndef DECODE_H
#define DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"

/*
 * Print a message of a device channel, such as dev.6665.laser.0.data, at the end of
 * a line and on the lines that follow. False, and nothing printed: it is no device
 * message, or its interface is unknown.
 */
bool decode_print(const char *channel, const void *data, size_t size);

/* The same as members of an open object. */
bool decode_json(const char *channel, const void *data, size_t size, struct json *j);

#endif
