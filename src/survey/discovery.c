/* SPDX-License-Identifier: BSD-3-Clause */
#include "discovery.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "printable.h"

#define TRANSPORT_TEXT 16
#define PEER_TEXT 66

const char *discovery_clean(const char *text, char to[DISCOVERY_TEXT])
{
    size_t left = strlen(text), at = 0;

    while (left && at + 4 < DISCOVERY_TEXT) {
        size_t n = printable_length(text, left);

        if (n)
            memcpy(to + at, text, n);
        else
            to[at] = '?';
        at += n ? n : 1;
        text += n ? n : 1;
        left -= n ? n : 1;
    }
    to[at] = '\0';
    return to;
}

/* Parse "laser#0(driver)"; accepts printable characters only. */
static bool read_device(const char *text, char *device, size_t size, char driver[64])
{
    char interf[64], digits[6];
    int n = 0;

    if (sscanf(text, "%63[a-z0-9_]#%5[0-9](%63[ -(*-~])%n", interf, digits, driver, &n) != 3 ||
        !n || text[n] || strtoul(digits, NULL, 10) > UINT16_MAX)
        return false;
    snprintf(device, size, "%s:%lu", interf, strtoul(digits, NULL, 10));
    return true;
}

static void read_devices(const struct mdns_found *service, const struct discovered *server,
                         discovered_t *report, void *context)
{
    struct discovered d = *server;
    char device[80], driver[64];
    size_t i;

    d.kind = DISCOVERED_DEVICE;
    d.name = device;
    d.driver = driver;
    for (i = 0; i < service->n_txt; i++)
        if (strncmp(service->txt[i], "device=", 7) == 0 &&
            read_device(service->txt[i] + 7, device, sizeof(device), driver))
            report(context, &d);
}

bool discovery_is_channel(const char *name)
{
    char path[PATH_MAX];

    return ach_channel_path(name, path, sizeof(path)) == ACH_OK;
}

/* The value of a record "c12=NAME" that names a channel; NULL: it is another record. */
static const char *read_channel(const char *text)
{
    size_t digits = *text == 'c' ? strspn(text + 1, "0123456789") : 0;

    if (!digits || text[1 + digits] != '=')
        return NULL;
    text += digits + 2;
    return discovery_is_channel(text) ? text : NULL;
}

/* The transport, and with TLS the name that a certificate of the host has, as achd wants it. */
static void read_transport(const struct mdns_found *service, char transport[TRANSPORT_TEXT],
                           char peer[PEER_TEXT])
{
    char name[PEER_TEXT - 1] = "";
    size_t i;

    for (i = 0; i < service->n_txt; i++) {
        sscanf(service->txt[i], "transport=%15[a-z]", transport);
        sscanf(service->txt[i], "host=%64[A-Za-z0-9._-]", name);
    }
    if (*name && strcmp(transport, "tls") == 0)
        snprintf(peer, PEER_TEXT, "%s@", name);
}

static void read_channels(const struct mdns_found *service, const struct discovered *server,
                          discovered_t *report, void *context)
{
    struct discovered d = *server;
    char transport[TRANSPORT_TEXT] = "tcp", peer[PEER_TEXT] = "";
    size_t i;

    read_transport(service, transport, peer);
    d.transport = transport;
    d.peer = peer;
    report(context, &d);
    d.kind = DISCOVERED_CHANNEL;
    for (i = 0; i < service->n_txt; i++) {
        d.name = read_channel(service->txt[i]);
        if (d.name)
            report(context, &d);
    }
}

void discovery_read(const struct mdns_found *service, discovered_t *report, void *context)
{
    char server[DISCOVERY_TEXT], host[DISCOVERY_TEXT];
    struct discovered d = {
        .name = "", .driver = "", .transport = "tcp", .peer = "", .port = service->port};

    d.server = discovery_clean(service->service, server);
    d.host = discovery_clean(service->host, host);
    d.address = service->address;
    if (strcmp(service->type, MDNS_DEVICES) == 0)
        read_devices(service, &d, report, context);
    else
        read_channels(service, &d, report, context);
}

struct discovery {
    discovered_t *report;
    void *context;
    unsigned n;
};

static void discovery_limit(void *context, const struct discovered *d)
{
    struct discovery *all = context;

    if (all->n++ < DISCOVERY_MAX)
        all->report(all->context, d);
}

static void discovery_found(void *context, const struct mdns_found *service)
{
    discovery_read(service, discovery_limit, context);
}

ach_status_t discovery_find(const char *const *types, double seconds, discovered_t *report,
                            void *context)
{
    const struct mdns_library *library = mdns_load();
    struct discovery all = {.report = report, .context = context};

    return library ? library->find(types, seconds, discovery_found, &all) : ACH_ENOTSUP;
}
