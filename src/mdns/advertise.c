/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * advertise.c - advertise services of this machine
 *
 * Everything runs in Avahi's thread, or with its lock held. Avahi's library waits for a missing
 * daemon, but not for a missing D-Bus. So a client that fails is freed, and created again after
 * RETRY_MS.
 */
#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/domain.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/thread-watch.h>
#include <avahi-common/timeval.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mdns.h"

#define RETRY_MS 5000u

/* Of the host's name, so that a label and the number of a renamed service fit behind it. */
#define HOST_NAME_BYTES 40u

struct advertised {
    char label[sizeof(((struct mdns_service *)NULL)->label)];
    uint16_t port;
    AvahiStringList *txt;
};

struct mdns_mdns {
    struct mdns_attr attr;
    AvahiIfIndex interface;
    struct advertised *services;
    size_t n;
    AvahiThreadedPoll *poll;
    AvahiTimeout *retry;
    AvahiClient *client;
    AvahiEntryGroup *group;
    char *name; /* of the services, without their labels */
    bool warned;
};

static void advertise_log(const struct mdns_mdns *m, bool warning, const char *what,
                          const char *why)
{
    char text[256];

    snprintf(text, sizeof(text), "%s%s", what, why);
    m->attr.log(m->attr.context, warning, text);
}

static void service_name(const struct mdns_mdns *m, const struct advertised *s,
                         char name[AVAHI_LABEL_MAX])
{
    snprintf(name, AVAHI_LABEL_MAX, "%.47s %s", m->name, s->label);
}

static int add_services(const struct mdns_mdns *m)
{
    char name[AVAHI_LABEL_MAX];
    int error = 0;
    size_t i;

    for (i = 0; i < m->n && error == 0; i++) {
        const struct advertised *s = &m->services[i];

        service_name(m, s, name);
        error =
            avahi_entry_group_add_service_strlst(m->group, m->interface, AVAHI_PROTO_UNSPEC, 0,
                                                 name, m->attr.type, NULL, NULL, s->port, s->txt);
    }
    return error;
}

static void rename_services(struct mdns_mdns *m)
{
    char *other = avahi_alternative_service_name(m->name);

    avahi_free(m->name);
    m->name = other;
}

static void publish(struct mdns_mdns *m)
{
    int error = add_services(m);

    while (error == AVAHI_ERR_COLLISION) {
        rename_services(m);
        avahi_entry_group_reset(m->group);
        error = add_services(m);
    }
    if (error == 0)
        error = avahi_entry_group_commit(m->group);
    if (error)
        advertise_log(m, true, "not advertised: ", avahi_strerror(error));
}

static void group_changed(AvahiEntryGroup *group, AvahiEntryGroupState state, void *context)
{
    struct mdns_mdns *m = context;

    m->group = group;
    if (state == AVAHI_ENTRY_GROUP_ESTABLISHED) {
        advertise_log(m, false, "advertised as ", m->name);
        m->warned = false;
    } else if (state == AVAHI_ENTRY_GROUP_COLLISION) {
        rename_services(m);
        avahi_entry_group_reset(group);
        publish(m);
    }
}

static void warn(struct mdns_mdns *m, const char *why)
{
    if (!m->warned)
        advertise_log(m, true, "not advertised until Avahi is available: ", why);
    m->warned = true;
}

static void begin(struct mdns_mdns *m, AvahiClient *client)
{
    if (!m->name)
        m->name = avahi_strndup(avahi_client_get_host_name(client), HOST_NAME_BYTES);
    if (!m->group)
        m->group = avahi_entry_group_new(client, group_changed, m);
    if (m->group && avahi_entry_group_is_empty(m->group))
        publish(m);
}

static void retry_later(struct mdns_mdns *m)
{
    struct timeval t;

    avahi_elapse_time(&t, RETRY_MS, 0);
    avahi_threaded_poll_get(m->poll)->timeout_update(m->retry, &t);
}

/* Must not free the client, which calls this. */
static void advertise_client_changed(AvahiClient *client, AvahiClientState state, void *context)
{
    struct mdns_mdns *m = context;

    switch (state) {
    case AVAHI_CLIENT_S_RUNNING:
        begin(m, client);
        break;
    case AVAHI_CLIENT_S_COLLISION:
    case AVAHI_CLIENT_S_REGISTERING: /* the host name changes; S_RUNNING follows */
        if (m->group)
            avahi_entry_group_reset(m->group);
        break;
    case AVAHI_CLIENT_CONNECTING:
        warn(m, "the daemon is not running");
        break;
    case AVAHI_CLIENT_FAILURE:
        warn(m, avahi_strerror(avahi_client_errno(client)));
        retry_later(m);
        break;
    }
}

static void connect_again(AvahiTimeout *retry, void *context)
{
    struct mdns_mdns *m = context;
    const AvahiPoll *poll = avahi_threaded_poll_get(m->poll);
    int error = 0;

    poll->timeout_update(retry, NULL);
    if (m->client)
        avahi_client_free(m->client); /* and its group */
    m->group = NULL;
    m->client = avahi_client_new(poll, AVAHI_CLIENT_NO_FAIL, advertise_client_changed, m, &error);
    if (m->client)
        return;
    warn(m, avahi_strerror(error));
    retry_later(m);
}

static void services_free(struct advertised *services, size_t n)
{
    while (services && n)
        avahi_string_list_free(services[--n].txt);
    free(services);
}

/* NULL: no memory. */
static struct advertised *services_copy(const struct mdns_service *from, size_t n)
{
    struct advertised *to = calloc(n + 1, sizeof(*to));
    size_t i, k;

    for (i = 0; to && i < n; i++) {
        to[i].port = from[i].port;
        memcpy(to[i].label, from[i].label, sizeof(to[i].label));
        for (k = 0; k < from[i].n_txt; k++) {
            AvahiStringList *more = avahi_string_list_add(to[i].txt, from[i].txt[k]);

            if (!more) {
                services_free(to, i + 1);
                return NULL;
            }
            to[i].txt = more;
        }
    }
    return to;
}

static ach_status_t no_memory(void)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to advertise services");
}

static ach_status_t start(struct mdns_mdns *m)
{
    const AvahiPoll *poll;
    struct timeval now;

    m->poll = avahi_threaded_poll_new();
    if (!m->services || !m->poll)
        return no_memory();
    poll = avahi_threaded_poll_get(m->poll);
    avahi_elapse_time(&now, 0, 0);
    m->retry = poll->timeout_new(poll, &now, connect_again, m);
    if (!m->retry || avahi_threaded_poll_start(m->poll) < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no thread to advertise services");
    return ACH_OK;
}

ach_status_t mdns_advertise(const struct mdns_attr *attr, const struct mdns_service *services,
                            size_t n, struct mdns_mdns **mdns)
{
    struct mdns_mdns *m = calloc(1, sizeof(*m));
    ach_status_t status;

    if (!m)
        return no_memory();
    m->attr = *attr;
    m->interface = attr->interface ? (AvahiIfIndex)attr->interface : AVAHI_IF_UNSPEC;
    m->services = services_copy(services, n);
    m->n = n;
    status = start(m);
    if (status == ACH_OK)
        *mdns = m;
    else
        mdns_end(m);
    return status;
}

static bool same_services(const struct mdns_mdns *m, const struct advertised *services, size_t n)
{
    size_t i;

    for (i = 0; i < n && n == m->n; i++)
        if (services[i].port != m->services[i].port ||
            strcmp(services[i].label, m->services[i].label) != 0)
            return false;
    return n == m->n;
}

/* Returns an error of Avahi. */
static int update_txt(const struct mdns_mdns *m, const struct advertised *services)
{
    char name[AVAHI_LABEL_MAX];
    int error = 0;
    size_t i;

    for (i = 0; i < m->n && error == 0; i++) {
        if (avahi_string_list_equal(services[i].txt, m->services[i].txt))
            continue;
        service_name(m, &services[i], name);
        error = avahi_entry_group_update_service_txt_strlst(m->group, m->interface,
                                                            AVAHI_PROTO_UNSPEC, 0, name,
                                                            m->attr.type, NULL, services[i].txt);
    }
    return error;
}

static void replace_services(struct mdns_mdns *m, struct advertised *services, size_t n)
{
    bool published = m->group && !avahi_entry_group_is_empty(m->group);
    bool done = !published || (same_services(m, services, n) && update_txt(m, services) == 0);

    services_free(m->services, m->n);
    m->services = services;
    m->n = n;
    if (done)
        return;
    avahi_entry_group_reset(m->group);
    publish(m);
}

ach_status_t mdns_update(struct mdns_mdns *m, const struct mdns_service *services, size_t n)
{
    struct advertised *copy = services_copy(services, n);

    if (!copy)
        return no_memory();
    avahi_threaded_poll_lock(m->poll);
    replace_services(m, copy, n);
    avahi_threaded_poll_unlock(m->poll);
    return ACH_OK;
}

void mdns_end(struct mdns_mdns *m)
{
    if (!m)
        return;
    if (m->poll)
        avahi_threaded_poll_stop(m->poll);
    if (m->client)
        avahi_client_free(m->client);
    if (m->poll)
        avahi_threaded_poll_free(m->poll);
    avahi_free(m->name);
    services_free(m->services, m->n);
    free(m);
}
