/* SPDX-License-Identifier: BSD-3-Clause */
/* transport_link.c - a device through a transport's link */
#include <ach.h>
#include <stdlib.h>

#include "inbox.h"
#include "transport.h"

struct link {
    struct devcl_inbox in; /* first */
    const ach_transport_class_t *transport;
    ach_link_t *link;
};

static ach_status_t transport_link_get(void *state, double timeout, int options, ach_message_t **m,
                                       uint64_t *missed)
{
    return devcl_inbox_get(state, timeout, options, m, missed);
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

static ach_status_t transport_link_command(void *state, const ach_header_t *h,
                                           const ach_type_t *type, const void *body)
{
    (void)type;
    return send_(state, h, body);
}

static ach_status_t transport_link_request(void *state, const ach_header_t *header,
                                           const ach_type_t *type, const void *body, double timeout,
                                           ach_message_t **answer)
{
    struct link *l = state;
    ach_header_t h = *header;
    ach_status_t status;

    (void)type;
    devcl_inbox_ask(&l->in, &h);
    status = send_(l, &h, body);
    return status == ACH_OK ? devcl_inbox_await(&l->in, timeout, answer) : status;
}

static ach_status_t transport_link_flush(void *state, double seconds)
{
    const struct link *l = state;

    return l->transport->flush ? l->transport->flush(l->link, seconds) : ACH_OK;
}

static int transport_link_fd(void *state)
{
    return ((struct link *)state)->in.fd;
}

static unsigned transport_link_rights(const void *state)
{
    const struct link *l = state;

    return l->transport->rights ? l->transport->rights(l->link) : ACH_RIGHT_ALL;
}

static void transport_link_close(void *state)
{
    struct link *l = state;

    l->transport->disconnect(l->link);
    devcl_inbox_finish(&l->in);
    free(l);
}

static const struct devcl_transport_ops ops = {.get = transport_link_get,
                                               .command = transport_link_command,
                                               .request = transport_link_request,
                                               .flush = transport_link_flush,
                                               .fd = transport_link_fd,
                                               .rights = transport_link_rights,
                                               .close = transport_link_close};

ach_status_t devcl_transport_link(const ach_transport_class_t *transport, const ach_place_t *place,
                                  const ach_device_attr_t *attr, struct devcl_transport *t)
{
    struct link *l = calloc(1, sizeof(*l));
    ach_status_t status;

    if (!l)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a device");
    l->transport = transport;
    status = devcl_inbox_init(&l->in, attr->messages);
    if (status != ACH_OK) {
        free(l);
        return status;
    }
    status = transport->connect(place, l->in.queue, attr->timeout, &l->link);
    if (status != ACH_OK) {
        devcl_inbox_finish(&l->in);
        free(l);
        return status;
    }
    *t = (struct devcl_transport){&ops, transport->name, l};
    return ACH_OK;
}
