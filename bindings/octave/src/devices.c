/* SPDX-License-Identifier: BSD-3-Clause */
/* devices.c - commands for devices */
#include "gateway.h"

#include <math.h>

#define TIMEOUT_DEFAULT 5.0

const ach_message_def_t *oct_message_def(struct oct_handle *h, unsigned type, const char *name)
{
    unsigned code = ach_device_address(h->device)->interf;
    const ach_interface_t *interface = ach_interface_by_code(code);
    const ach_message_def_t *def = ach_interface_message_named(interface, type, name);

    if (!def)
        oct_throw(ACH_EINVAL, "%s has no message '%.100s' of this kind; see: ach dev messages",
                  interface ? interface->name : "an unknown interface", name);
    return def;
}

static const ach_message_def_t *message_def(const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);

    return ach_interface_message(ach_interface_by_code(h->address.interf), h->type, h->subtype);
}

mxArray *oct_device_value(const ach_message_t *message)
{
    const ach_message_def_t *def = message_def(message);
    const void *body;

    oct_check(ach_message_check(message));
    body = ach_message_body(message);
    if (!def || !def->body || !body)
        return mxCreateStructMatrix(1, 1, 0, NULL);
    return oct_body_value(def->body, body);
}

mxArray *oct_device_header(const ach_message_t *message)
{
    const ach_message_def_t *def = message_def(message);
    const ach_header_t *h = ach_message_header(message);
    mxArray *s = mxCreateStructMatrix(1, 1, 0, NULL);

    oct_field(s, "message", mxCreateString(def ? def->name : ""));
    oct_field(s, "timestamp", mxCreateDoubleScalar(h->timestamp));
    oct_field(s, "sequence", oct_uint64(h->sequence));
    return s;
}

/* Options for reaching a device. */
static ach_device_attr_t attr_of(const struct oct_call *c)
{
    double timeout = TIMEOUT_DEFAULT;
    uint64_t messages = 0;
    char *transport = NULL;
    const struct oct_option options[] = {{"timeout", OPTION_SECONDS, &timeout},
                                         {"transport", OPTION_TEXT, &transport},
                                         {"messages", OPTION_COUNT, &messages},
                                         {0}};

    oct_options(c, 1, options);
    if (messages > UINT32_MAX)
        oct_throw(ACH_EINVAL, "expected messages as a number of 32 bits");
    return (ach_device_attr_t){.size = sizeof(ach_device_attr_t),
                               .transport = transport,
                               .timeout = timeout,
                               .messages = (unsigned)messages};
}

static void run_device_open(const struct oct_call *c)
{
    const char *address = oct_text(c->argument[0], "the address of a device");
    ach_device_attr_t attr = attr_of(c);
    struct oct_handle *h = oct_handle_new(OCT_DEVICE);
    enum ach_status status = ach_device_open(address, &attr, &h->device);

    if (status != ACH_OK) {
        oct_handle_drop(h);
        oct_throw_status(status);
    }
    c->result[0] = oct_uint64(h->id);
}

static struct oct_handle *device_first(const struct oct_call *c)
{
    return oct_handle(c->argument[0], OCT_DEVICE);
}

/* The body in the third argument; NULL: there is none. */
static const void *body_of(const struct oct_call *c, const ach_message_def_t *def)
{
    if (c->count < 3 || mxIsEmpty(c->argument[2]))
        return def->body ? mxCalloc(1, def->body->body_size) : NULL;
    if (!def->body)
        oct_throw(ACH_EINVAL, "%s has no fields", def->name);
    return oct_body_of(def->body, c->argument[2]);
}

static void run_device_command(const struct oct_call *c)
{
    struct oct_handle *h = device_first(c);
    const char *name = oct_text(c->argument[1], "the name of a command");
    const ach_message_def_t *def = oct_message_def(h, ACH_MSG_CMD, name);

    oct_check(ach_device_command(h->device, def->subtype, body_of(c, def)));
}

static void run_device_request(const struct oct_call *c)
{
    struct oct_handle *h = device_first(c);
    const char *name = oct_text(c->argument[1], "the name of a request");
    const ach_message_def_t *def = oct_message_def(h, ACH_MSG_REQ, name);
    const void *body = body_of(c, def);
    double timeout = TIMEOUT_DEFAULT;
    const struct oct_option options[] = {{"timeout", OPTION_SECONDS, &timeout}, {0}};
    ach_message_t *answer = NULL;
    enum ach_status status;

    oct_options(c, 3, options);
    status = ach_device_request(h->device, def->subtype, body, timeout, &answer);
    oct_hold_message(answer);
    oct_check(status);
    c->result[0] = oct_device_value(answer);
}

static void run_device_flush(const struct oct_call *c)
{
    double timeout = TIMEOUT_DEFAULT;
    const struct oct_option options[] = {{"timeout", OPTION_SECONDS, &timeout}, {0}};
    struct oct_handle *h = device_first(c);

    oct_options(c, 1, options);
    oct_check(ach_device_flush(h->device, timeout));
}

static mxArray *rights_value(unsigned rights)
{
    mxArray *s = mxCreateStructMatrix(1, 1, 0, NULL);

    for (const struct oct_name *r = oct_rights; r->name; r++)
        oct_field(s, r->name, mxCreateLogicalScalar((rights & (unsigned)r->value) != 0));
    return s;
}

static mxArray *address_value(const ach_address_t *address)
{
    char text[ACH_ADDRESS_MAX];

    return mxCreateString(ach_address_text(address, text));
}

static void run_device_info(const struct oct_call *c)
{
    ach_device_t *device = device_first(c)->device;
    mxArray *s = c->result[0] = mxCreateStructMatrix(1, 1, 0, NULL);

    oct_field(s, "address", address_value(ach_device_address(device)));
    oct_field(s, "transport", mxCreateString(ach_device_transport(device)));
    oct_field(s, "rights", rights_value(ach_device_rights(device)));
    oct_field(s, "lost", oct_uint64(ach_device_lost(device)));
}

static void run_device_list(const struct oct_call *c)
{
    static const char *names[] = {"address", "driver", "remote", "subscriptions"};
    const char *where = oct_text(c->argument[0], "a host or robot");
    ach_device_attr_t attr = attr_of(c);
    size_t room = 64, count = 0;
    ach_device_info_t *devices;
    mxArray *s;

    for (;;) {
        devices = mxCalloc(room, sizeof(*devices));
        oct_check(ach_device_list(where, &attr, devices, room, &count));
        if (count <= room)
            break;
        room = count;
    }
    s = c->result[0] = mxCreateStructMatrix((mwSize)count, 1, 4, names);
    for (size_t i = 0; i < count; i++) {
        const ach_device_info_t *d = &devices[i];

        mxSetFieldByNumber(s, (mwIndex)i, 0, address_value(&d->address));
        mxSetFieldByNumber(s, (mwIndex)i, 1, mxCreateString(d->driver));
        mxSetFieldByNumber(s, (mwIndex)i, 2, mxCreateLogicalScalar(d->remote != 0));
        mxSetFieldByNumber(s, (mwIndex)i, 3, mxCreateDoubleScalar(d->subscriptions));
    }
}

const struct oct_command oct_device_commands[] = {{"device_open", 1, run_device_open},
                                                  {"device_command", 2, run_device_command},
                                                  {"device_request", 2, run_device_request},
                                                  {"device_flush", 1, run_device_flush},
                                                  {"device_info", 1, run_device_info},
                                                  {"device_list", 1, run_device_list},
                                                  {0}};
