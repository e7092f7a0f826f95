/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_frame.h"

#include <ach/definition.h>
#include <ach/message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "tables.h"

#define CHANNELS_OF_DEVICES "dev."

_Static_assert(sizeof(((struct device_note *)NULL)->address) >= ACH_ADDRESS_MAX, "an address fits");

bool device_channel(const char *name)
{
    return strncmp(name, CHANNELS_OF_DEVICES, strlen(CHANNELS_OF_DEVICES)) == 0;
}

/* "dev.6665.laser.0.data" holds data of laser, and .cmd commands. NULL: the name is not like that. */
static const ach_interface_t *channel_messages(const char *channel, unsigned *type)
{
    char interface[25], what[5] = "";
    int end = 0;

    if (sscanf(channel, CHANNELS_OF_DEVICES "%*u.%24[^.].%*u.%4s%n", interface, what, &end) != 2 ||
        channel[end])
        return NULL;
    *type = strcmp(what, "data") == 0 ? ACH_MSG_DATA : ACH_MSG_CMD;
    if (*type == ACH_MSG_CMD && strcmp(what, "cmd") != 0)
        return NULL;
    return ach_interface_find(interface);
}

const char *device_interface(const char *channel)
{
    unsigned type;
    const ach_interface_t *i = channel_messages(channel, &type);

    return i ? i->name : NULL;
}

static const char *frame_type(unsigned type)
{
    switch (type) {
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

/* A copy of the body, which lives as long as the tree. */
static bool take_frame(const ach_message_def_t *def, ach_message_t *m, struct value_tree *t)
{
    const void *body = def->body ? ach_message_body(m) : NULL;
    void *copy;

    if (!body)
        return true;
    return ach_body_copy(def->body, body, &copy) == ACH_OK && value_adopt(&t->arena, copy) &&
           value_from_body(&t->arena, def->body, copy, &t->root) == ACH_OK;
}

/* The message is not trusted: any process may have put it. */
bool device_decode(const void *data, size_t size, struct decoded *out)
{
    const char *bytes = data;
    const ach_message_def_t *def;
    ach_message_t *m;
    ach_header_t h;
    uint32_t body;
    bool ok;

    if (size < ACH_FRAME_HEADER || ach_frame_read(bytes, &h, &body) != ACH_OK ||
        body != size - ACH_FRAME_HEADER)
        return false;
    def = ach_interface_message(ach_interface_by_code(h.address.interf), h.type, h.subtype);
    if (!def || ach_message_wrap(&h, bytes + ACH_FRAME_HEADER, body, &m) != ACH_OK)
        return false;
    ok = ach_message_check(m) == ACH_OK && take_frame(def, m, &out->tree);
    ach_message_unref(m);
    if (!ok)
        return false;
    if (h.type != ACH_MSG_DATA) { /* the address has the client's process and handle */
        out->device.process = h.address.host;
        h.address.host = h.address.robot = 0;
    }
    out->device.type = frame_type(h.type);
    out->device.message = def->name;
    out->device.time = h.timestamp;
    ach_address_text(&h.address, out->device.address);
    return true;
}

bool device_definition(const char *name, char **type, char **text)
{
    const ach_type_t *table = value_interface_type(name);

    if (!table)
        complain("no interface has a struct '%s'; ach dev messages lists the interfaces", name);
    else if (ach_definition_write(table, type, text) == ACH_OK)
        return true;
    else
        complain("%s", ach_errstr());
    return false;
}

static bool show_definition(const ach_message_def_t *m)
{
    char *name, *text;

    if (!m->body) {
        printf("\n# %s %u, %s: no body\n", frame_type(m->type), m->subtype, m->name);
        return true;
    }
    if (ach_definition_write(m->body, &name, &text) != ACH_OK) {
        complain("%s", ach_errstr());
        return false;
    }
    printf("\n# %s %u, %s: %s\n%s", frame_type(m->type), m->subtype, m->name, name, text);
    free(name);
    free(text);
    return true;
}

bool device_show(const char *channel)
{
    unsigned type;
    const ach_interface_t *i = channel_messages(channel, &type);
    bool ok = true;
    uint32_t k;

    if (!i)
        return false;
    printf("# messages of %s: a header of %u bytes, and a body in XDR\n", i->name,
           ACH_FRAME_HEADER);
    for (k = 0; k < i->message_count && ok; k++)
        if (i->messages[k].type == type)
            ok = show_definition(&i->messages[k]);
    return ok;
}
