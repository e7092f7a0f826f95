/* SPDX-License-Identifier: BSD-3-Clause */
/* decode.h - messages of devices in channels, by what their interfaces say of them */
#ifndef DECODE_H
#define DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"

/*
 * Print a message of a channel of devices, as dev.6665.laser.0.data, at the end of a
 * line and on the lines that follow. False: it is none, or not of an interface that
 * is known, and nothing was printed.
 */
bool decode_print(const char *channel, const void *data, size_t size);

/* The same as members of an open object. */
bool decode_json(const char *channel, const void *data, size_t size, struct json *j);

#endif
