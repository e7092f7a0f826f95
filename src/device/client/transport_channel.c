/* SPDX-License-Identifier: BSD-3-Clause */
/* transport_channel.c - a device through its channels */
#include "../channel/link.h"
#include "transport.h"

static ach_status_t transport_channel_get(void *state, double timeout, int options,
                                          ach_message_t **m, uint64_t *missed)
{
    return achi_channel_link_get(state, timeout, options, m, missed);
}

static ach_status_t transport_channel_command(void *state, const ach_header_t *h,
                                              const ach_type_t *type, const void *body)
{
    return achi_channel_link_command(state, h, type, body);
}

static ach_status_t transport_channel_request(void *state, const ach_header_t *h,
                                              const ach_type_t *type, const void *body,
                                              double timeout, ach_message_t **answer)
{
    return achi_channel_link_request(state, h, type, body, timeout, answer);
}

static ach_status_t transport_channel_flush(void *state, double seconds)
{
    return achi_channel_link_flush(state, seconds);
}

static ach_status_t transport_channel_inherit(void *state, double timeout)
{
    return achi_channel_link_inherit(state, timeout);
}

static int transport_channel_fd(void *state)
{
    return achi_channel_link_fd(state);
}

static unsigned transport_channel_rights(const void *state)
{
    return achi_channel_link_rights(state);
}

static void transport_channel_close(void *state)
{
    achi_channel_link_close(state);
}

static const struct devcl_transport_ops ops = {.get = transport_channel_get,
                                               .command = transport_channel_command,
                                               .request = transport_channel_request,
                                               .flush = transport_channel_flush,
                                               .inherit = transport_channel_inherit,
                                               .rights = transport_channel_rights,
                                               .fd = transport_channel_fd,
                                               .close = transport_channel_close};

ach_status_t devcl_transport_channel(const ach_place_t *place, const ach_device_attr_t *attr,
                                     struct devcl_transport *t)
{
    struct devch_channel_link *l;
    ach_status_t status = achi_channel_link_open(place, attr, &l);

    if (status == ACH_OK)
        *t = (struct devcl_transport){&ops, "channel", l};
    return status;
}
