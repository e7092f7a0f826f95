/* SPDX-License-Identifier: BSD-3-Clause */
#include "decode.h"

#include <ach/definition.h>
#include <ach/message.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define CHANNELS_OF_DEVICES "dev."

struct decoded {
    ach_message_t *message;
    const ach_message_def_t *def;
    char address[ACH_ADDRESS_MAX];
};

/* The message is not trusted: any process may have put it. */
static bool decode_device(const char *channel, const void *data, size_t size, struct decoded *d)
{
    const char *bytes = data;
    ach_header_t h;
    uint32_t body;

    if (strncmp(channel, CHANNELS_OF_DEVICES, strlen(CHANNELS_OF_DEVICES)) != 0 ||
        size < ACH_FRAME_HEADER || ach_frame_read(bytes, &h, &body) != ACH_OK ||
        body != size - ACH_FRAME_HEADER)
        return false;
    d->def = ach_interface_message(ach_interface_by_code(h.address.interf), h.type, h.subtype);
    if (!d->def || ach_message_wrap(&h, bytes + ACH_FRAME_HEADER, body, &d->message) != ACH_OK)
        return false;
    if (ach_message_check(d->message) != ACH_OK) {
        ach_message_unref(d->message);
        return false;
    }
    ach_address_text(&h.address, d->address);
    return true;
}

static const char *type_name(const ach_message_t *m)
{
    switch (ach_message_header(m)->type) {
    case ACH_MSG_CMD:
        return "command";
    case ACH_MSG_REQ:
        return "request";
    case ACH_MSG_ACK:
        return "answer";
    case ACH_MSG_NACK:
        return "refusal";
    default:
        return "data";
    }
}

static const void *decode_body_of(const struct decoded *d)
{
    return d->def->body ? ach_message_body(d->message) : NULL;
}

/* Definitions of ROS with messages in CDR are the types that we know. */
void decoder_begin(struct decoder *d, const char *channel, const ach_channel_t *chan)
{
    const ach_channel_type_t *type;
    enum ach_status status = ach_channel_type(chan, &type);

    *d = (struct decoder){.channel = channel};
    if (status == ACH_OK && strcmp(type->encoding, "cdr") == 0 &&
        (strcmp(type->schema_encoding, "ros2msg") == 0 ||
         strcmp(type->schema_encoding, "ros1msg") == 0))
        status = ach_definition_new(type->name, type->schema, type->schema_size, &d->definition);
    if (status != ACH_OK && status != ACH_ENOTSUP)
        complain("cannot decode the messages of '%s': %s", channel, ach_errstr());
}

void decoder_end(struct decoder *d)
{
    ach_definition_free(d->definition);
    d->definition = NULL;
}

/* Decode a message of a typed channel; NULL: it does not fit. */
static void *decode_typed(const struct decoder *d, const void *data, size_t size)
{
    void *body = NULL;

    if (ach_cdr_decode_new(ach_definition_type(d->definition), data, size, &body) != ACH_OK)
        complain("a message of '%s' is not of the channel's type: %s", d->channel, ach_errstr());
    return body;
}

static bool print_typed(const struct decoder *d, const void *data, size_t size)
{
    void *body = decode_typed(d, data, size);

    if (!body)
        return false;
    putchar('\n');
    ach_body_print(ach_definition_type(d->definition), body, 2, stdout);
    free(body);
    return true;
}

static bool print_device(const char *channel, const void *data, size_t size)
{
    struct decoded d;

    if (!decode_device(channel, data, size, &d))
        return false;
    printf(" %s %s %s %.6f\n", d.address, type_name(d.message), d.def->name,
           ach_message_header(d.message)->timestamp);
    if (decode_body_of(&d))
        ach_body_print(d.def->body, decode_body_of(&d), 2, stdout);
    ach_message_unref(d.message);
    return true;
}

bool decode_print(const struct decoder *d, const void *data, size_t size)
{
    return d->definition ? print_typed(d, data, size) : print_device(d->channel, data, size);
}

static bool json_typed(const struct decoder *d, const void *data, size_t size, struct json *j)
{
    void *body = decode_typed(d, data, size);

    if (!body)
        return false;
    json_key(j, "message");
    ach_body_json(ach_definition_type(d->definition), body, j->out);
    free(body);
    return true;
}

static bool json_device(const char *channel, const void *data, size_t size, struct json *j)
{
    struct decoded d;

    if (!decode_device(channel, data, size, &d))
        return false;
    json_string(j, "device", d.address);
    json_string(j, "type", type_name(d.message));
    json_string(j, "message", d.def->name);
    json_number(j, "device_time", ach_message_header(d.message)->timestamp);
    if (decode_body_of(&d)) {
        json_key(j, "body");
        ach_body_json(d.def->body, decode_body_of(&d), j->out);
    }
    ach_message_unref(d.message);
    return true;
}

bool decode_json(const struct decoder *d, const void *data, size_t size, struct json *j)
{
    return d->definition ? json_typed(d, data, size, j) : json_device(d->channel, data, size, j);
}
