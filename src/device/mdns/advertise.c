/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * advertise.c - advertise the devices of this robot
 *
 * Everything runs in Avahi's thread. Avahi's library waits for a missing daemon,
 * but not for a missing D-Bus. So a client that fails is freed, and created
 * again after RETRY_MS.
 */
#include <ach.h>
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

/* Bytes of a service's TXT records: more does not fit a packet. */
#define TXT_MAX 1200u

struct mdns_mdns {
    ach_robot_t *robot;
    uint16_t port;
    AvahiIfIndex interface;
    ach_device_info_t *devices;
    size_t count;
    AvahiThreadedPoll *poll;
    AvahiTimeout *retry;
    AvahiClient *client;
    AvahiEntryGroup *group;
    char *name; /* of the service, without its port */
    bool warned;
};

static uint16_t port_of(const struct mdns_mdns *m, const ach_device_info_t *d)
{
    return d->address.robot ? (uint16_t)d->address.robot : m->port;
}

static AvahiStringList *add_device(AvahiStringList *txt, const ach_device_info_t *d)
{
    const ach_interface_t *known = ach_interface_by_code(d->address.interf);

    return known ? avahi_string_list_add_printf(txt, "device=%s#%u(%s)", known->name,
                                                d->address.index, d->driver)
                 : txt;
}

static AvahiStringList *make_txt(const struct mdns_mdns *m, uint16_t port)
{
    AvahiStringList *txt = NULL;
    size_t i;

    for (i = 0; i < m->count; i++)
        if (!m->devices[i].remote && port_of(m, &m->devices[i]) == port &&
            avahi_string_list_serialize(txt, NULL, 0) + 100 < TXT_MAX)
            txt = add_device(txt, &m->devices[i]);
    return txt;
}

static int add_service(const struct mdns_mdns *m, uint16_t port)
{
    AvahiStringList *txt = make_txt(m, port);
    char name[AVAHI_LABEL_MAX];
    int error;

    snprintf(name, sizeof(name), "%.50s %u", m->name, port);
    error = avahi_entry_group_add_service_strlst(m->group, m->interface, AVAHI_PROTO_UNSPEC, 0,
                                                 name, MDNS_TYPE, NULL, NULL, port, txt);
    avahi_string_list_free(txt);
    return error;
}

/* A service for the robot's own port, and for each other robot's number among its devices. */
static int add_services(const struct mdns_mdns *m)
{
    int error = add_service(m, m->port);
    size_t i, k;

    for (i = 0; i < m->count && error == 0; i++) {
        const ach_device_info_t *d = &m->devices[i];

        for (k = 0; k < i && m->devices[k].address.robot != d->address.robot; k++)
            ;
        if (k == i && !d->remote && port_of(m, d) != m->port)
            error = add_service(m, port_of(m, d));
    }
    return error;
}

static void rename_service(struct mdns_mdns *m)
{
    char *other = avahi_alternative_service_name(m->name);

    avahi_free(m->name);
    m->name = other;
}

static void publish(struct mdns_mdns *m)
{
    int error = add_services(m);

    while (error == AVAHI_ERR_COLLISION) {
        rename_service(m);
        avahi_entry_group_reset(m->group);
        error = add_services(m);
    }
    if (error == 0)
        error = avahi_entry_group_commit(m->group);
    if (error)
        ach_robot_log(m->robot, ACH_LOG_WARNING, "the devices are not advertised: %s",
                      avahi_strerror(error));
}

static void group_changed(AvahiEntryGroup *group, AvahiEntryGroupState state, void *context)
{
    struct mdns_mdns *m = context;

    m->group = group;
    if (state == AVAHI_ENTRY_GROUP_ESTABLISHED) {
        ach_robot_log(m->robot, ACH_LOG_INFO, "advertised as %s", m->name);
        m->warned = false;
    } else if (state == AVAHI_ENTRY_GROUP_COLLISION) {
        rename_service(m);
        avahi_entry_group_reset(group);
        publish(m);
    }
}

static void warn(struct mdns_mdns *m, const char *why)
{
    if (!m->warned)
        ach_robot_log(m->robot, ACH_LOG_WARNING,
                      "the devices are not advertised until Avahi is available: %s", why);
    m->warned = true;
}

static void begin(struct mdns_mdns *m, AvahiClient *client)
{
    if (!m->name)
        m->name = avahi_strdup(avahi_client_get_host_name(client));
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

static ach_status_t start(struct mdns_mdns *m)
{
    const AvahiPoll *poll;
    struct timeval now;

    m->count = ach_robot_devices(m->robot, NULL, 0);
    m->devices = calloc(m->count + 1, sizeof(*m->devices));
    m->poll = avahi_threaded_poll_new();
    if (!m->devices || !m->poll)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to advertise devices");
    ach_robot_devices(m->robot, m->devices, m->count);
    poll = avahi_threaded_poll_get(m->poll);
    avahi_elapse_time(&now, 0, 0);
    m->retry = poll->timeout_new(poll, &now, connect_again, m);
    if (!m->retry || avahi_threaded_poll_start(m->poll) < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no thread to advertise devices");
    return ACH_OK;
}

ach_status_t achi_mdns_advertise(ach_robot_t *robot, uint16_t port, unsigned interface,
                                 struct mdns_mdns **mdns)
{
    struct mdns_mdns *m = calloc(1, sizeof(*m));
    ach_status_t status;

    if (!m)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to advertise devices");
    m->robot = robot;
    m->port = port;
    m->interface = interface ? (AvahiIfIndex)interface : AVAHI_IF_UNSPEC;
    status = start(m);
    if (status == ACH_OK)
        *mdns = m;
    else
        achi_mdns_end(m);
    return status;
}

void achi_mdns_end(struct mdns_mdns *mdns)
{
    if (!mdns)
        return;
    if (mdns->poll)
        avahi_threaded_poll_stop(mdns->poll);
    if (mdns->client)
        avahi_client_free(mdns->client);
    if (mdns->poll)
        avahi_threaded_poll_free(mdns->poll);
    avahi_free(mdns->name);
    free(mdns->devices);
    free(mdns);
}
