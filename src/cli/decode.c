/* SPDX-License-Identifier: BSD-3-Clause */
#include "decode.h"

#include <string.h>

#include "cli.h"
#include "device_frame.h"

/* Messages of devices say what they are; no type is needed. */
void decoder_begin_type(struct decoder *d, const char *name, const ach_channel_type_t *type,
                        bool device)
{
    enum ach_status status = ACH_ENOTSUP;

    memset(d, 0, sizeof(*d));
    d->channel = name;
    if (type)
        status = value_codec_open(&d->codec, type);
    d->failed = status != ACH_OK && status != ACH_ENOTSUP;
    if (d->failed)
        complain("cannot decode the messages of '%s': %s", name, ach_errstr());
    d->device = !d->codec.encoding && device;
}

/* The handle has a copy of the type: it is not parsed in shared memory. */
void decoder_begin(struct decoder *d, const char *channel, const ach_channel_t *chan)
{
    const ach_channel_type_t *type;
    enum ach_status status = ach_channel_type(chan, &type);

    decoder_begin_type(d, channel, status == ACH_OK ? type : NULL, device_channel(channel));
    if (status != ACH_OK && status != ACH_ENOTSUP) {
        complain("cannot decode the messages of '%s': %s", channel, ach_errstr());
        d->failed = true;
    }
}

void decoder_end(struct decoder *d)
{
    value_codec_close(&d->codec);
}

bool decoder_knows(const struct decoder *d)
{
    return d->codec.encoding || d->device;
}

int decoder_unknown(const struct decoder *d)
{
    size_t i;
    char names[128] = "";

    if (d->failed)
        return EXIT_FAILED;
    if (d->device) {
        complain("'%s' is a channel of a device: use ach dev cmd", d->channel);
        return EXIT_FAILED;
    }
    for (i = 0; value_encodings[i]; i++) {
        strncat(names, i ? ", " : "", sizeof(names) - strlen(names) - 1);
        strncat(names, value_encodings[i]->name, sizeof(names) - strlen(names) - 1);
    }
    complain("channel '%s' has no type that this ach knows; known encodings are: %s; see 'man "
             "ach-type'",
             d->channel, names);
    return EXIT_FAILED;
}

const struct value *decoder_example(const struct decoder *d)
{
    const struct value *root = &d->codec.example.root;

    return d->codec.encoding && root->kind != VALUE_NULL ? root : NULL;
}

bool decode_message(const struct decoder *d, const void *data, size_t size, struct decoded *out)
{
    memset(out, 0, sizeof(*out));
    if (!d->codec.encoding)
        return d->device && device_decode(data, size, out);
    if (value_codec_decode(&d->codec, data, size, &out->tree) == ACH_OK)
        return true;
    if (!d->quiet)
        complain("a message of '%s' is not of the channel's type: %s", d->channel, ach_errstr());
    return false;
}

void decoded_finish(struct decoded *d)
{
    value_tree_finish(&d->tree);
}
