/* SPDX-License-Identifier: BSD-3-Clause */
/* way_channel.c - a device through its channels */
#include "../channel/link.h"
#include "route.h"

static ach_status_t get(void *state, double timeout, int options, ach_message_t **m,
                        uint64_t *missed)
{
    return achi_channel_link_get(state, timeout, options, m, missed);
}

static ach_status_t command(void *state, const ach_header_t *h, const ach_type_t *type,
                            const void *body)
{
    return achi_channel_link_command(state, h, type, body);
}

static ach_status_t request(void *state, const ach_header_t *h, const ach_type_t *type,
                            const void *body, double timeout, ach_message_t **answer)
{
    return achi_channel_link_request(state, h, type, body, timeout, answer);
}

static ach_status_t flush(void *state, double seconds)
{
    return achi_channel_link_flush(state, seconds);
}

static int fd(void *state)
{
    return achi_channel_link_fd(state);
}

static unsigned rights(const void *state)
{
    return achi_channel_link_rights(state);
}

static void close_(void *state)
{
    achi_channel_link_close(state);
}

static const struct achi_route route = {.get = get,
                                        .command = command,
                                        .request = request,
                                        .flush = flush,
                                        .lasting = true,
                                        .rights = rights,
                                        .fd = fd,
                                        .close = close_};

ach_status_t achi_way_channel(const ach_place_t *place, const ach_device_attr_t *attr,
                              struct achi_way *way)
{
    struct achi_channel_link *l;
    ach_status_t status = achi_channel_link_open(place, attr->timeout, &l);

    if (status == ACH_OK)
        *way = (struct achi_way){&route, "channel", l};
    return status;
}
