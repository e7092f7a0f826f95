/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * find.c - find services that machines in the network advertise
 *
 * A browser for each type finds services, and a resolver for each service finds its host, port and
 * TXT records. A service found on several network interfaces is reported once. Anybody can
 * advertise any number of services, so those waiting for a resolver are limited, and so are the
 * resolvers at work: avahi-daemon grants a client about a thousand objects.
 */
#include <avahi-client/lookup.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mdns.h"
#include "monotonic.h"

#define RESOLVERS_MAX 64u
#define TYPES_MAX 4u

/* Announcements on several interfaces count each. */
#define SEEN_MAX ((size_t)2 * MDNS_FOUND_MAX)

#define TXT_COUNT_MAX 1024u

/* A service that was announced. */
struct seen {
    const char *type;
    char *name, *domain;
    AvahiIfIndex interface;
    AvahiProtocol protocol;
    bool found;
};

struct finder {
    const char *const *types;
    AvahiSimplePoll *poll;
    AvahiClient *client;
    unsigned browsing;  /* browsers that have not sent AVAHI_BROWSER_ALL_FOR_NOW */
    unsigned resolving; /* resolvers at work */
    struct seen *seen;
    size_t n_seen, next; /* the next one to resolve */
    size_t n_found;
    mdns_found_t *found;
    void *context;
    int error;
};

/* The type as the caller gave it. Avahi's may differ in case. */
static const char *finder_type(const struct finder *f, const char *type)
{
    size_t i = 0;

    while (f->types[i] && strcasecmp(f->types[i], type) != 0)
        i++;
    return f->types[i];
}

static bool found_before(const struct finder *f, const struct seen *s)
{
    size_t i;

    for (i = 0; i < f->next; i++)
        if (f->seen[i].found && f->seen[i].type == s->type && strcmp(f->seen[i].name, s->name) == 0)
            return true;
    return false;
}

/* Avahi's lists are in reverse order. Records that contain NUL are left out. */
static size_t read_txt(AvahiStringList *txt, const char **texts)
{
    size_t i, n = 0;

    for (; txt && n < TXT_COUNT_MAX; txt = avahi_string_list_get_next(txt)) {
        const char *text = (const char *)avahi_string_list_get_text(txt);

        if (strlen(text) == avahi_string_list_get_size(txt))
            texts[n++] = text;
    }
    for (i = 0; i < n / 2; i++) {
        const char *other = texts[i];

        texts[i] = texts[n - 1 - i];
        texts[n - 1 - i] = other;
    }
    return n;
}

static void finder_report(struct finder *f, struct mdns_found *d, AvahiStringList *txt)
{
    const char *texts[TXT_COUNT_MAX];

    d->txt = texts;
    d->n_txt = read_txt(txt, texts);
    f->n_found++;
    f->found(f->context, d);
}

static struct seen *finder_seen(struct finder *f, AvahiIfIndex interface, AvahiProtocol protocol,
                                const char *name, const char *type)
{
    size_t i;

    for (i = 0; i < f->next; i++)
        if (f->seen[i].interface == interface && f->seen[i].protocol == protocol &&
            strcmp(f->seen[i].name, name) == 0 && strcasecmp(f->seen[i].type, type) == 0)
            return &f->seen[i];
    return NULL;
}

static void resolved(AvahiServiceResolver *resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                     AvahiResolverEvent event, const char *name, const char *type,
                     const char *domain, const char *host, const AvahiAddress *address,
                     uint16_t port, AvahiStringList *txt, AvahiLookupResultFlags flags,
                     void *context)
{
    struct mdns_found d = {.service = name, .host = host, .port = port};
    struct finder *f = context;
    struct seen *s = finder_seen(f, interface, protocol, name, type);
    char number[AVAHI_ADDRESS_STR_MAX];

    (void)domain;
    (void)flags;
    if (event == AVAHI_RESOLVER_FOUND && s && f->n_found < MDNS_FOUND_MAX) {
        d.type = s->type;
        d.address = avahi_address_snprint(number, sizeof(number), address);
        if (strncmp(number, "127.", 4) != 0 && !found_before(f, s)) {
            s->found = true;
            finder_report(f, &d, txt);
        }
    }
    avahi_service_resolver_free(resolver);
    f->resolving--;
}

static void finder_add(struct finder *f, const struct seen *s)
{
    struct seen *more;

    if (!s->type || f->n_seen == SEEN_MAX)
        return;
    more = realloc(f->seen, (f->n_seen + 1) * sizeof(*more));
    if (!more)
        return;
    f->seen = more;
    f->seen[f->n_seen] = *s;
    f->seen[f->n_seen].name = avahi_strdup(s->name);
    f->seen[f->n_seen].domain = avahi_strdup(s->domain);
    f->n_seen++;
}

static void browsed(AvahiServiceBrowser *browser, AvahiIfIndex interface, AvahiProtocol protocol,
                    AvahiBrowserEvent event, const char *name, const char *type, const char *domain,
                    AvahiLookupResultFlags flags, void *context)
{
    struct finder *f = context;

    (void)browser;
    (void)flags;
    if (event == AVAHI_BROWSER_NEW) {
        struct seen s = {
            .type = finder_type(f, type), .interface = interface, .protocol = protocol};

        s.name = (char *)name;
        s.domain = (char *)domain;
        finder_add(f, &s);
    } else if (event == AVAHI_BROWSER_ALL_FOR_NOW) {
        f->browsing -= f->browsing > 0;
    } else if (event == AVAHI_BROWSER_FAILURE) {
        f->error = avahi_client_errno(f->client);
    }
}

/* Start resolvers. A service that was found already on another interface needs none. */
static void finder_resolve(struct finder *f)
{
    while (f->next < f->n_seen && f->resolving < RESOLVERS_MAX) {
        const struct seen *s = &f->seen[f->next++];

        if (!found_before(f, s) &&
            avahi_service_resolver_new(f->client, s->interface, s->protocol, s->name, s->type,
                                       s->domain, AVAHI_PROTO_INET, 0, resolved, f))
            f->resolving++;
    }
}

static void find_client_changed(AvahiClient *client, AvahiClientState state, void *context)
{
    if (state == AVAHI_CLIENT_FAILURE)
        ((struct finder *)context)->error = avahi_client_errno(client);
}

static void start_browsers(struct finder *f)
{
    size_t i;

    for (i = 0; i < TYPES_MAX && f->types[i] && !f->error; i++) {
        if (avahi_service_browser_new(f->client, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, f->types[i],
                                      NULL, 0, browsed, f))
            f->browsing++;
        else
            f->error = avahi_client_errno(f->client);
    }
}

static bool finder_done(const struct finder *f)
{
    return f->error || (!f->browsing && !f->resolving && f->next == f->n_seen);
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
    start_browsers(f);
    while (left > 0 && !finder_done(f)) {
        if (avahi_simple_poll_iterate(f->poll, (int)(left * 1000) + 1) != 0)
            break;
        finder_resolve(f);
        left = until - monotonic_seconds();
    }
    avahi_client_free(f->client);
}

static void finder_finish(struct finder *f)
{
    while (f->n_seen) {
        struct seen *s = &f->seen[--f->n_seen];

        avahi_free(s->name);
        avahi_free(s->domain);
    }
    free(f->seen);
    avahi_simple_poll_free(f->poll);
}

ach_status_t mdns_find(const char *const *types, double seconds, mdns_found_t *found, void *context)
{
    struct finder f = {.types = types, .found = found, .context = context};

    f.poll = avahi_simple_poll_new();
    if (!f.poll)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to find services");
    browse(&f, seconds);
    finder_finish(&f);
    if (f.error)
        return ach_errstr_set(ACH_FAILED_SYSCALL,
                              "cannot search the network: avahi-daemon does not answer: %s",
                              avahi_strerror(f.error));
    return ACH_OK;
}
