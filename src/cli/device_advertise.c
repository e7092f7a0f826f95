/* SPDX-License-Identifier: BSD-3-Clause */
#include "device_advertise.h"

#include <stdlib.h>

#include "service.h"

struct device_services {
    uint16_t port;
    ach_device_info_t *devices;
    size_t n_devices;
    struct mdns_service *services; /* room for one more than there are devices */
    size_t n;
};

static uint16_t port_of(const struct device_services *s, const ach_device_info_t *d)
{
    return d->address.robot ? (uint16_t)d->address.robot : s->port;
}

static void add_devices(const struct device_services *s, struct mdns_service *to)
{
    size_t i;

    for (i = 0; i < s->n_devices; i++) {
        const ach_device_info_t *d = &s->devices[i];
        const ach_interface_t *known = ach_interface_by_code(d->address.interf);

        if (known && !d->remote && port_of(s, d) == to->port)
            mdns_service_add(to, "device=%s#%u(%s)", known->name, d->address.index, d->driver);
    }
}

static void add_service(struct device_services *s, uint16_t port)
{
    struct mdns_service *to = &s->services[s->n];
    size_t i;

    for (i = 0; i < s->n; i++)
        if (s->services[i].port == port)
            return;
    s->n++;
    to->port = port;
    snprintf(to->label, sizeof(to->label), "%u", port);
    add_devices(s, to);
}

/* A service for the robot's own port, and for each other robot's number among its devices. */
static void add_services(struct device_services *s)
{
    size_t i;

    add_service(s, s->port);
    for (i = 0; i < s->n_devices; i++)
        if (!s->devices[i].remote)
            add_service(s, port_of(s, &s->devices[i]));
}

static void services_finish(struct device_services *s)
{
    while (s->n)
        mdns_service_finish(&s->services[--s->n]);
    free(s->services);
    free(s->devices);
}

static void log_line(void *context, bool warning, const char *text)
{
    ach_robot_log(context, warning ? ACH_LOG_WARNING : ACH_LOG_INFO, "the devices are %s", text);
}

ach_status_t device_advertise(ach_robot_t *robot, uint16_t port, unsigned interface,
                              struct mdns_mdns **mdns)
{
    struct mdns_attr attr = {
        .type = MDNS_DEVICES, .interface = interface, .log = log_line, .context = robot};
    const struct mdns_library *library = mdns_load();
    struct device_services s = {.port = port};
    ach_status_t status;

    if (!library)
        return ACH_ENOTSUP;
    s.n_devices = ach_robot_devices(robot, NULL, 0);
    s.devices = calloc(s.n_devices + 1, sizeof(*s.devices));
    s.services = calloc(s.n_devices + 1, sizeof(*s.services));
    if (s.devices && s.services) {
        ach_robot_devices(robot, s.devices, s.n_devices);
        add_services(&s);
        status = library->advertise(&attr, s.services, s.n, mdns);
    } else {
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to advertise devices");
    }
    services_finish(&s);
    return status;
}

void device_advertise_end(struct mdns_mdns *mdns)
{
    if (mdns)
        mdns_load()->end(mdns);
}
