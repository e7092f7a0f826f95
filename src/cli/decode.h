/* SPDX-License-Identifier: BSD-3-Clause */
/* decode.h - decode messages of typed channels and of devices' channels */
#ifndef DECODE_H
#define DECODE_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>

#include "codec.h"

/* How to decode the messages of a channel. */
struct decoder {
    const char *channel;
    bool failed;              /* its schema cannot be used */
    bool quiet;               /* do not complain about messages: a screen is drawn */
    bool device;              /* of a device: each message says what it is */
    struct value_codec codec; /* of the channel's type */
};

/* Find out how. Complains if the channel has a schema that cannot be used. */
void decoder_begin(struct decoder *d, const char *channel, const ach_channel_t *chan);

/*
 * The same for messages that are in no channel. device: they are those of a device. `name` must live as long as the
 * decoder.
 */
void decoder_begin_type(struct decoder *d, const char *name, const ach_channel_type_t *type,
                        bool device);
void decoder_end(struct decoder *d);

/* Can messages be decoded? */
bool decoder_knows(const struct decoder *d);

/*
 * Complain that it cannot, or that messages of devices cannot be made, unless decoder_begin did.
 * Returns EXIT_FAILED.
 */
int decoder_unknown(const struct decoder *d);

/* An example of a message, see codec.h; NULL: there is none. */
const struct value *decoder_example(const struct decoder *d);

/* What the header of a device's message says. */
struct device_note {
    char address[400];
    const char *type;    /* "data", "command", ... */
    const char *message; /* its name in the interface; NULL: it is no message of a device */
    double time;
    uint32_t process; /* that sent a command or a request, or gets the answer; 0: none */
};

struct decoded {
    struct value_tree tree;
    struct device_note device;
};

/*
 * Decode a message, to be finished with decoded_finish in any case. False, after complaining if the
 * channel has a type: the message does not fit, or nothing is known about it.
 */
bool decode_message(const struct decoder *d, const void *data, size_t size, struct decoded *out);
void decoded_finish(struct decoded *d);

#endif
