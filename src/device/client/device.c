/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.c - an application's handle of a device
 *
 * Routes return data in the order received. Messages that were skipped, because
 * the caller asked for another subtype, are kept here.
 */
#include <ach.h>
#include <ach/tcp.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../util/monotonic.h"
#include "../channel/link.h"
#include "../core/network.h"
#include "../core/wakeup.h"
#include "transport.h"

/* Seconds to connect. */
#define TIMEOUT 5.0

/*
 * Seconds that a call may spend on skipping messages already received, even past its timeout.
 * Bounded, because a device may publish faster than messages are skipped.
 */
#define LOOK 0.1

/* Limit of skipped messages; beyond it the oldest is dropped and counted as lost. */
#define KEPT_MAX 256u

struct ach_device {
    struct devcl_transport transport;
    ach_address_t address;
    uint64_t lost;
    unsigned forks;       /* `forks` when it was opened */
    bool missed;          /* the next message returns ACH_MISSED_FRAME */
    bool commanded;       /* the result of at least one command is not known */
    ach_status_t flushed; /* result of the last flush; ACH_EAGAIN: commands were sent since */
    ach_message_t *kept[KEPT_MAX];
    unsigned n_kept;
};

/* Why a plug-in of ACH_PLUGINS could not be loaded; added to errors about missing transports. */
static char unloaded[384];

static void load(const char *names, size_t n)
{
    char *name = strndup(names, n);

    if (name && ach_transport_add_plugin(name) != ACH_OK)
        snprintf(unloaded, sizeof(unloaded), "; %s", ach_errstr());
    free(name);
}

static unsigned forks; /* by which this process descends from the one that loaded the library */

static void count_fork(void)
{
    forks++;
}

/* Threads and connections of most transports stay with the process that opened the device. */
static ach_status_t check_process(const ach_device_t *d)
{
    if (d->forks == forks || d->transport.ops->inherit)
        return ACH_OK;
    return ach_errstr_set(ACH_CLOSED,
                          "the device was opened by the parent of this process; open it again");
}

/* In a child of fork, become a client of our own before the first command or request. */
static ach_status_t become_client(ach_device_t *d)
{
    ach_status_t status = check_process(d);

    if (status != ACH_OK || d->forks == forks)
        return status;
    status = d->transport.ops->inherit(d->transport.state, TIMEOUT);
    if (status != ACH_OK)
        return status;
    d->forks = forks;
    d->commanded = false;
    d->flushed = ACH_OK;
    return ACH_OK;
}

static void known(void)
{
    const char *names = secure_getenv("ACH_PLUGINS");

    pthread_atfork(NULL, NULL, count_fork);
    ach_transport_add(&ach_transport_tcp);
    ach_transport_add(&ach_transport_tls);
    while (names && *names) {
        size_t n = strcspn(names, ":");

        if (n)
            load(names, n);
        names += n + (names[n] == ':');
    }
}

static ach_device_attr_t complete(const ach_device_attr_t *attr)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ach_device_attr_t a;

    pthread_once(&once, known);
    memset(&a, 0, sizeof(a));
    if (attr)
        memcpy(&a, attr, attr->size < sizeof(a) ? attr->size : sizeof(a));
    if (a.timeout <= 0)
        a.timeout = TIMEOUT;
    if (!a.transport)
        a.transport = secure_getenv("ACH_TRANSPORT");
    return a;
}

static ach_status_t by_name(const ach_place_t *place, const ach_device_attr_t *attr,
                            const char *name, struct devcl_transport *transport)
{
    const ach_transport_class_t *t = ach_transport_find(name);

    if (strcmp(name, "channel") == 0)
        return devcl_transport_channel(place, attr, transport);
    if (!t || !t->connect)
        return ach_errstr_set(ACH_ENOTSUP, "there is no transport %s%s", name, unloaded);
    return devcl_transport_link(t, place, attr, transport);
}

/* Prefer channels on this machine; without them try a TCP server. */
static ach_status_t find_transport(const ach_place_t *place, const ach_device_attr_t *attr,
                                   struct devcl_transport *transport)
{
    ach_status_t status;

    if (attr->robot)
        return devcl_transport_robot(place, attr, transport);
    if (attr->transport && *attr->transport)
        return by_name(place, attr, attr->transport, transport);
    if (*place->host)
        return by_name(place, attr, network_transport(), transport);
    status = devcl_transport_channel(place, attr, transport);
    return status == ACH_ENOENT ? by_name(place, attr, network_transport(), transport) : status;
}

/* The interface and index do not matter, but an address must have them. */
static ach_status_t parse_where(const char *where, ach_place_t *place)
{
    char text[ACH_ADDRESS_MAX];
    size_t n = strlen(where);

    if (n > ACH_HOST_MAX + 12)
        return ach_errstr_set(ACH_EINVAL, "\"%.100s\" is neither a host nor a robot", where);
    if (n && !strchr(where, ':') && strspn(where, "0123456789") < n)
        snprintf(text, sizeof(text), "%s::player:0", where);
    else
        snprintf(text, sizeof(text), "%s%splayer:0", where, n ? ":" : "");
    return ach_place_parse(text, place);
}

/* On this machine an address without a robot means the one in ACH_ROBOT. `ach sim` sets it. */
static ach_status_t set_robot(ach_place_t *place, const ach_device_attr_t *attr)
{
    const char *text = secure_getenv("ACH_ROBOT");
    ach_place_t named;

    if (place->robot || *place->host || attr->robot || !text || !*text)
        return ACH_OK;
    if (parse_where(text, &named) != ACH_OK || *named.host || !named.robot)
        return ach_errstr_set(ACH_EINVAL, "ACH_ROBOT is \"%.40s\", not the number of a robot",
                              text);
    place->robot = named.robot;
    return ACH_OK;
}

ach_status_t ach_device_open(const char *address, const ach_device_attr_t *attr,
                             ach_device_t **device)
{
    const ach_device_attr_t a = complete(attr);
    ach_place_t place;
    ach_device_t *d;
    ach_status_t status;

    if (!address || !device)
        return ach_errstr_set(ACH_EINVAL,
                              "the address and the pointer to the handle must not be NULL");
    status = ach_place_parse(address, &place);
    if (status == ACH_OK)
        status = set_robot(&place, &a);
    if (status != ACH_OK)
        return status;
    d = calloc(1, sizeof(*d));
    if (!d)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a device");
    d->address =
        (ach_address_t){.robot = place.robot, .interf = place.interf, .index = place.index};
    status = find_transport(&place, &a, &d->transport);
    d->forks = forks;
    if (status != ACH_OK)
        free(d);
    else
        *device = d;
    return status;
}

ach_status_t ach_device_flush(ach_device_t *device, double seconds)
{
    if (check_process(device) != ACH_OK)
        return ACH_CLOSED;
    if (isnan(seconds))
        return ach_errstr_set(ACH_EINVAL, "the time limit is not a number");
    if (!device->commanded || device->forks != forks) /* the commands are those of the parent */
        return ACH_OK;
    device->flushed = device->transport.ops->flush(device->transport.state, seconds);
    device->commanded = device->flushed != ACH_OK && device->flushed != ACH_ENOTSUP;
    return device->flushed;
}

/* Do not wait a second time for a server that has not answered. */
static ach_status_t flush_last(ach_device_t *d)
{
    if (d->forks == forks && (d->flushed == ACH_TIMEOUT || d->flushed == ACH_CLOSED))
        return ach_errstr_set(d->flushed,
                              "the last commands may be lost: ach_device_flush has failed before");
    return ach_device_flush(d, ACH_DEVICE_CLOSE_SECONDS);
}

ach_status_t ach_device_close(ach_device_t *device)
{
    ach_status_t status;

    if (!device || check_process(device) != ACH_OK)
        return ACH_OK; /* in a child: its memory is not freed, since threads may have locked it */
    status = flush_last(device);
    device->transport.ops->close(device->transport.state);
    while (device->n_kept)
        ach_message_unref(device->kept[--device->n_kept]);
    free(device);
    return status;
}

const ach_address_t *ach_device_address(const ach_device_t *device)
{
    return &device->address;
}

const char *ach_device_transport(const ach_device_t *device)
{
    return device->transport.name;
}

unsigned ach_device_rights(const ach_device_t *device)
{
    const struct devcl_transport *transport = &device->transport;

    return transport->ops->rights ? transport->ops->rights(transport->state) : ACH_RIGHT_ALL;
}

int ach_device_fd(ach_device_t *device)
{
    return device->transport.ops->fd(device->transport.state);
}

uint64_t ach_device_lost(const ach_device_t *device)
{
    return device->lost;
}

static ach_message_t *take(ach_device_t *d, unsigned i)
{
    ach_message_t *m = d->kept[i];

    d->n_kept--;
    memmove(&d->kept[i], &d->kept[i + 1], (d->n_kept - i) * sizeof(m));
    return m;
}

static bool fits(const ach_message_t *m, int subtype)
{
    return subtype == ACH_SUBTYPE_ANY || ach_message_header(m)->subtype == subtype;
}

static void count_lost(ach_device_t *d, uint64_t n)
{
    d->lost += n;
    d->missed |= n > 0;
}

static void keep(ach_device_t *d, ach_message_t *m)
{
    if (d->n_kept == KEPT_MAX) {
        ach_message_unref(take(d, 0));
        count_lost(d, 1);
    }
    d->kept[d->n_kept++] = m;
}

/* The first kept message of the subtype; @last: the last one, and earlier ones are dropped. */
static ach_message_t *from_kept(ach_device_t *d, int subtype, bool last)
{
    ach_message_t *found = NULL;
    unsigned i = 0;

    while (i < d->n_kept && (last || !found)) {
        if (!fits(d->kept[i], subtype)) {
            i++;
            continue;
        }
        ach_message_unref(found);
        found = take(d, i);
    }
    return found;
}

static ach_status_t route_get(ach_device_t *d, double timeout, int options, ach_message_t **m)
{
    uint64_t missed = 0;
    ach_status_t status = d->transport.ops->get(d->transport.state, timeout, options, m, &missed);

    count_lost(d, missed);
    return status == ACH_MISSED_FRAME ? ACH_OK : status;
}

/*
 * The newest received message of the subtype; ACH_STALE_FRAMES: there is none. Stops after LOOK
 * seconds, because a device may send faster than this receives. The clock is read only if several
 * messages have come: in a simulation that is a system call.
 */
static ach_status_t newest(ach_device_t *d, int subtype, ach_message_t **found)
{
    ach_status_t status;
    ach_message_t *m;
    double until = 0;
    unsigned n;

    *found = from_kept(d, subtype, true);
    for (n = 0; n < 2 || monotonic_seconds() < until; n++) {
        status = route_get(d, 0, 0, &m);
        if (status != ACH_OK)
            break;
        if (fits(m, subtype)) {
            ach_message_unref(*found);
            *found = m;
        } else {
            keep(d, m);
        }
        if (n == 1)
            until = monotonic_seconds() + LOOK;
    }
    if (*found)
        return ACH_OK;
    return status == ACH_OK ? ACH_STALE_FRAMES : status;
}

/* The next message of the subtype. timeout: in seconds; negative: none. */
static ach_status_t device_next(ach_device_t *d, int subtype, double timeout, int options,
                                ach_message_t **found)
{
    const bool waits = options & ACH_O_WAIT;
    const double until = waits && timeout > 0 ? monotonic_seconds() + timeout : 0;
    double left = timeout, looked = 0, now;

    for (;;) {
        ach_message_t *m;
        ach_status_t status = route_get(d, left, options & ACH_O_WAIT, &m);

        if (status != ACH_OK)
            return status;
        if (fits(m, subtype)) {
            *found = m;
            return ACH_OK;
        }
        keep(d, m);
        now = monotonic_seconds();
        if (timeout > 0)
            left = until > now ? until - now : 0;
        if (looked == 0)
            looked = now + LOOK;
        if (now < looked)
            continue;
        if (!waits)
            return ACH_STALE_FRAMES;
        if (timeout >= 0 && now >= until)
            return ACH_TIMEOUT;
    }
}

ach_status_t ach_device_get(ach_device_t *device, int subtype, double timeout, int options,
                            ach_message_t **message)
{
    ach_status_t status = ACH_OK;
    ach_message_t *m;

    if (check_process(device) != ACH_OK)
        return ACH_CLOSED;
    if (options & ACH_O_LAST)
        status = newest(device, subtype, &m);
    else
        m = from_kept(device, subtype, false);
    if (!m && (status == ACH_OK || (status == ACH_STALE_FRAMES && options & ACH_O_WAIT)))
        status = device_next(device, subtype, timeout, options, &m);
    if (status == ACH_TIMEOUT)
        return ach_errstr_set(status, "no data within %g s", timeout);
    if (status != ACH_OK)
        return status;
    status = device->missed ? ACH_MISSED_FRAME : ACH_OK;
    device->missed = false;
    *message = m;
    return status;
}

/* Fill the header of a message, and find the type of its body. */
static ach_status_t prepare(ach_device_t *d, uint8_t type, uint8_t subtype, const void *body,
                            ach_header_t *h, const ach_type_t **body_type)
{
    const ach_interface_t *interface = ach_interface_by_code(d->address.interf);
    const ach_message_def_t *def = ach_interface_message(interface, type, subtype);
    ach_status_t status = become_client(d);
    struct timespec t;

    if (status != ACH_OK)
        return status;
    if (!def || (body && !def->body))
        return ach_errstr_set(ACH_EINVAL, "the interface has no message %u:%u%s", type, subtype,
                              def ? " with a body" : "");
    clock_gettime(CLOCK_REALTIME, &t);
    *body_type = def->body;
    *h = (ach_header_t){.address = d->address,
                        .type = type,
                        .subtype = subtype,
                        .timestamp = (double)t.tv_sec + (double)t.tv_nsec * 1e-9};
    return ACH_OK;
}

ach_status_t ach_device_command(ach_device_t *device, uint8_t subtype, const void *body)
{
    const ach_type_t *type = NULL;
    ach_header_t h;
    ach_status_t status = prepare(device, ACH_MSG_CMD, subtype, body, &h, &type);

    if (status == ACH_OK)
        status = device->transport.ops->command(device->transport.state, &h, type, body);
    if (status == ACH_OK)
        device->flushed = ACH_EAGAIN;
    device->commanded |= status == ACH_OK;
    return status;
}

ach_status_t ach_device_request(ach_device_t *device, uint8_t subtype, const void *body,
                                double timeout, ach_message_t **answer)
{
    const ach_type_t *type = NULL;
    ach_message_t *m;
    ach_header_t h;
    ach_status_t status = prepare(device, ACH_MSG_REQ, subtype, body, &h, &type);

    if (status == ACH_OK)
        status =
            device->transport.ops->request(device->transport.state, &h, type, body, timeout, &m);
    if (status != ACH_OK)
        return status;
    if (ach_message_header(m)->type != ACH_MSG_ACK)
        status = ach_errstr_set(ACH_ENOTSUP, "the device refuses that request");
    if (answer)
        *answer = m;
    else
        ach_message_unref(m);
    return status;
}

ach_status_t ach_device_dispatch(ach_device_t *device, double timeout, ach_device_data_t *data,
                                 void *context)
{
    unsigned left = ACH_QUEUE_MESSAGES;
    ach_message_t *m = NULL;
    ach_status_t status =
        ach_device_get(device, ACH_SUBTYPE_ANY, timeout, timeout == 0 ? 0 : ACH_O_WAIT, &m);

    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return status;
    do {
        data(context, device, m);
        ach_message_unref(m);
        status = --left ? ach_device_get(device, ACH_SUBTYPE_ANY, 0, 0, &m) : ACH_STALE_FRAMES;
    } while (status == ACH_OK || status == ACH_MISSED_FRAME);
    return ACH_OK;
}

static ach_status_t list_by_name(const ach_place_t *place, const ach_device_attr_t *attr,
                                 const char *name, ach_device_info_t *devices, size_t room,
                                 size_t *count)
{
    const ach_transport_class_t *t = ach_transport_find(name);

    if (strcmp(name, "channel") == 0 && *place->host)
        return ach_errstr_set(ACH_ENOTSUP,
                              "channels work only on this machine: give the robot without a host");
    if (strcmp(name, "channel") == 0)
        return achi_channel_list(place, devices, room, count);
    if (!t)
        return ach_errstr_set(ACH_ENOTSUP, "there is no transport %s%s", name, unloaded);
    if (!t->list)
        return ach_errstr_set(ACH_ENOTSUP, "the transport %s does not list devices", name);
    return t->list(place, attr->timeout, devices, room, count);
}

/* A server without TCP, or a simulation, has channels only. They do not name the drivers. */
static ach_status_t list_here(const ach_place_t *place, const ach_device_attr_t *attr,
                              ach_device_info_t *devices, size_t room, size_t *count)
{
    ach_status_t status = list_by_name(place, attr, network_transport(), devices, room, count);
    char why[256];

    if (status == ACH_OK || status == ACH_EACCES)
        return status;
    snprintf(why, sizeof(why), "%s", ach_errstr());
    if (achi_channel_list(place, devices, room, count) == ACH_OK)
        return ACH_OK;
    return ach_errstr_set(status, "%s", why);
}

ach_status_t ach_device_list(const char *where, const ach_device_attr_t *attr,
                             ach_device_info_t *devices, size_t room, size_t *count)
{
    const ach_device_attr_t a = complete(attr);
    ach_place_t place;
    ach_status_t status;

    if (a.robot) {
        *count = ach_robot_devices(a.robot, devices, room);
        return ACH_OK;
    }
    status = parse_where(where, &place);
    if (status == ACH_OK)
        status = set_robot(&place, &a);
    if (status != ACH_OK)
        return status;
    if (a.transport && *a.transport)
        return list_by_name(&place, &a, a.transport, devices, room, count);
    if (*place.host)
        return list_by_name(&place, &a, network_transport(), devices, room, count);
    return list_here(&place, &a, devices, room, count);
}
