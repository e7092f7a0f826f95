/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * find.c - find the devices that servers in the network advertise
 *
 * A browser finds services, and a resolver for each finds its host, port and TXT
 * records. A service found on several network interfaces is reported once.
 */
#include <ach.h>
#include <avahi-client/lookup.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../util/monotonic.h"
#include "mdns.h"

struct seen {
    struct seen *next;
    char *name;
};

struct finder {
    AvahiSimplePoll *poll;
    AvahiClient *client;
    unsigned resolving;
    bool browsed; /* AVAHI_BROWSER_ALL_FOR_NOW was received */
    struct seen *seen;
    mdns_found_t *found;
    void *context;
    int error;
};

static bool seen_before(struct finder *f, const char *name)
{
    struct seen *s = f->seen;

    while (s && strcmp(s->name, name) != 0)
        s = s->next;
    if (s)
        return true;
    s = malloc(sizeof(*s));
    if (!s)
        return false;
    s->name = avahi_strdup(name);
    s->next = f->seen;
    f->seen = s;
    return false;
}

/* Parse "laser#0(driver)" from the network; accepts printable characters only. */
static bool read_device(const char *text, char *device, size_t size, char *driver)
{
    char interf[64];
    unsigned index;
    int n = 0;

    if (sscanf(text, "%63[a-z0-9_]#%u(%63[ -(*-~])%n", interf, &index, driver, &n) != 3 || !n ||
        text[n] || index > UINT16_MAX)
        return false;
    snprintf(device, size, "%s:%u", interf, index);
    return true;
}

static void tell(const struct finder *f, const struct mdns_found *server, AvahiStringList *txt)
{
    struct mdns_found d = *server;
    char device[80], driver[64];
    const char *text;

    d.device = device;
    d.driver = driver;
    if (!txt)
        return;
    tell(f, server, avahi_string_list_get_next(txt)); /* Avahi's lists are in reverse order */
    text = (const char *)avahi_string_list_get_text(txt);
    if (strncmp(text, "device=", 7) == 0 && read_device(text + 7, device, sizeof(device), driver))
        f->found(f->context, &d);
}

static void resolved(AvahiServiceResolver *resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                     AvahiResolverEvent event, const char *name, const char *type,
                     const char *domain, const char *host, const AvahiAddress *address,
                     uint16_t port, AvahiStringList *txt, AvahiLookupResultFlags flags,
                     void *context)
{
    struct mdns_found d = {.service = name, .host = host, .port = port};
    struct finder *f = context;
    char number[AVAHI_ADDRESS_STR_MAX];

    (void)interface;
    (void)protocol;
    (void)type;
    (void)domain;
    (void)flags;
    if (event == AVAHI_RESOLVER_FOUND) {
        d.address = avahi_address_snprint(number, sizeof(number), address);
        if (strncmp(number, "127.", 4) != 0 && !seen_before(f, name))
            tell(f, &d, txt);
    }
    avahi_service_resolver_free(resolver);
    f->resolving--;
}

static void browsed(AvahiServiceBrowser *browser, AvahiIfIndex interface, AvahiProtocol protocol,
                    AvahiBrowserEvent event, const char *name, const char *type, const char *domain,
                    AvahiLookupResultFlags flags, void *context)
{
    struct finder *f = context;

    (void)browser;
    (void)flags;
    if (event == AVAHI_BROWSER_NEW &&
        avahi_service_resolver_new(f->client, interface, protocol, name, type, domain,
                                   AVAHI_PROTO_INET, 0, resolved, f))
        f->resolving++;
    else if (event == AVAHI_BROWSER_ALL_FOR_NOW)
        f->browsed = true;
    else if (event == AVAHI_BROWSER_FAILURE)
        f->error = avahi_client_errno(f->client);
}

static void find_client_changed(AvahiClient *client, AvahiClientState state, void *context)
{
    if (state == AVAHI_CLIENT_FAILURE)
        ((struct finder *)context)->error = avahi_client_errno(client);
}

static void browse(struct finder *f, double seconds)
{
    double until = monotonic_seconds() + seconds;
    double left = seconds;

    f->client =
        avahi_client_new(avahi_simple_poll_get(f->poll), 0, find_client_changed, f, &f->error);
    if (!f->client)
        return;
    f->error = 0;
    if (!avahi_service_browser_new(f->client, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, MDNS_TYPE, NULL,
                                   0, browsed, f))
        f->error = avahi_client_errno(f->client);
    while (!f->error && left > 0 && !(f->browsed && !f->resolving)) {
        if (avahi_simple_poll_iterate(f->poll, (int)(left * 1000) + 1) != 0)
            break;
        left = until - monotonic_seconds();
    }
    avahi_client_free(f->client);
}

ach_status_t achi_mdns_find(double seconds, mdns_found_t *found, void *context)
{
    struct finder f = {.found = found, .context = context};

    f.poll = avahi_simple_poll_new();
    if (!f.poll)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to find devices");
    browse(&f, seconds);
    avahi_simple_poll_free(f.poll);
    while (f.seen) {
        struct seen *s = f.seen;

        f.seen = s->next;
        avahi_free(s->name);
        free(s);
    }
    if (f.error)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot find devices with avahi-daemon: %s",
                              avahi_strerror(f.error));
    return ACH_OK;
}
