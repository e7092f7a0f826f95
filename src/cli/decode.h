/* SPDX-License-Identifier: BSD-3-Clause */
/* decode.h - decode messages of typed channels and of devices' channels */
#ifndef DECODE_H
#define DECODE_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>

#include "json.h"

struct ach_definition;

/* How to decode the messages of a channel. */
struct decoder {
    const char *channel;
    struct ach_definition *definition; /* of the channel's type; NULL: none that we know */
};

/* Find out how. Complains if the channel has a schema that cannot be used. */
void decoder_begin(struct decoder *d, const char *channel, const ach_channel_t *chan);
void decoder_end(struct decoder *d);

/*
 * Print a message at the end of a line and on the lines that follow. False, and nothing printed:
 * the channel has no type that we know and is none of a device, or the message does not fit.
 */
bool decode_print(const struct decoder *d, const void *data, size_t size);

/* The same as members of an open object. */
bool decode_json(const struct decoder *d, const void *data, size_t size, struct json *j);

#endif
