/* SPDX-License-Identifier: BSD-3-Clause */
/* way_link.c - a device through a transport's link */
#include <ach.h>
#include <stdlib.h>

#include "inbox.h"
#include "route.h"

struct link {
    struct achi_inbox in; /* first */
    const ach_transport_class_t *transport;
    ach_link_t *link;
};

static ach_status_t get(void *state, double timeout, int options, ach_message_t **m,
                        uint64_t *missed)
{
    return achi_inbox_get(state, timeout, options, m, missed);
}

static ach_status_t send_(struct link *l, const ach_header_t *h, const void *body)
{
    ach_message_t *m;
    ach_status_t status = ach_message_create(h, body, &m);

    if (status != ACH_OK)
        return status;
    status = l->transport->send(l->link, m);
    ach_message_unref(m);
    return status;
}

static ach_status_t command(void *state, const ach_header_t *h, const ach_type_t *type,
                            const void *body)
{
    (void)type;
    return send_(state, h, body);
}

static ach_status_t request(void *state, const ach_header_t *header, const ach_type_t *type,
                            const void *body, double timeout, ach_message_t **answer)
{
    struct link *l = state;
    ach_header_t h = *header;
    ach_status_t status;

    (void)type;
    achi_inbox_ask(&l->in, &h);
    status = send_(l, &h, body);
    return status == ACH_OK ? achi_inbox_await(&l->in, timeout, answer) : status;
}

static ach_status_t flush(void *state, double seconds)
{
    const struct link *l = state;

    return l->transport->flush ? l->transport->flush(l->link, seconds) : ACH_OK;
}

static int fd(void *state)
{
    return ((struct link *)state)->in.fd;
}

static unsigned rights(const void *state)
{
    const struct link *l = state;

    return l->transport->rights ? l->transport->rights(l->link) : ACH_RIGHT_ALL;
}

static void close_(void *state)
{
    struct link *l = state;

    l->transport->disconnect(l->link);
    achi_inbox_finish(&l->in);
    free(l);
}

static const struct achi_route route = {.get = get,
                                        .command = command,
                                        .request = request,
                                        .flush = flush,
                                        .fd = fd,
                                        .rights = rights,
                                        .close = close_};

ach_status_t achi_way_link(const ach_transport_class_t *transport, const ach_place_t *place,
                           const ach_device_attr_t *attr, struct achi_way *way)
{
    struct link *l = calloc(1, sizeof(*l));
    ach_status_t status;

    if (!l)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a device");
    l->transport = transport;
    status = achi_inbox_init(&l->in, attr->messages);
    if (status != ACH_OK) {
        free(l);
        return status;
    }
    status = transport->connect(place, l->in.queue, attr->timeout, &l->link);
    if (status != ACH_OK) {
        achi_inbox_finish(&l->in);
        free(l);
        return status;
    }
    *way = (struct achi_way){&route, transport->name, l};
    return ACH_OK;
}
