/* SPDX-License-Identifier: BSD-3-Clause */
#include "network.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "discovery.h"
#include "json.h"
#include "peers.h"
#include "table.h"

struct network_entry {
    const char *kind;
    char *host, *address, *transport, *peer, *name, *driver; /* "": none */
    uint16_t port;
};

struct network {
    const struct survey *local;
    struct network_entry *entries;
    size_t n;
};

static char *network_text(const char *text)
{
    char *copy = strdup(text);

    if (!copy) {
        complain("out of memory");
        exit(EXIT_FAILED);
    }
    return copy;
}

static void network_add(struct network *all, const char *kind, const struct discovered *d)
{
    struct network_entry *e = realloc(all->entries, (all->n + 1) * sizeof(*e));

    if (!e) {
        complain("out of memory");
        exit(EXIT_FAILED);
    }
    all->entries = e;
    e += all->n++;
    *e = (struct network_entry){
        .host = network_text(d->host),
        .address = network_text(d->address),
        .transport = network_text(d->transport),
        .kind = kind,
        .peer = network_text(d->peer),
        .name = network_text(d->name),
        .driver = network_text(d->driver),
        .port = d->port,
    };
}

static void network_found(void *context, const struct discovered *d)
{
    static const char *const kinds[] = {"achd", "channel", "device"};
    struct network *all = context;

    if (survey_matches(all->local, d->name))
        network_add(all, kinds[d->kind], d);
}

void network_silent(void *context, const char *address, const char *port, const char *why)
{
    (void)context;
    complain("warning: no list of channels from %s:%s: %s", address, port, why);
}

static void network_add_local(struct network *all)
{
    size_t i;

    for (i = 0; i < all->local->n; i++) {
        const struct surveyed *c = all->local->items[i];
        const struct discovered d = {.name = c->name,
                                     .driver = "",
                                     .peer = "",
                                     .host = "",
                                     .address = "",
                                     .transport = kind_text(c->map)};

        network_add(all, "channel", &d);
    }
}

static int network_compare(const void *a, const void *b)
{
    const struct network_entry *x = a, *y = b;
    int order = strcmp(x->host, y->host);

    if (!order)
        order = strcmp(x->address, y->address);
    if (!order)
        order = (int)x->port - (int)y->port;
    if (!order)
        order = strcmp(x->kind, y->kind);
    return order ? order : strcmp(x->name, y->name);
}

static bool same_server(const struct network_entry *a, const struct network_entry *b)
{
    return a->port == b->port && strcmp(a->host, b->host) == 0 &&
           strcmp(a->address, b->address) == 0;
}

/* An achd is listed only if it advertises no channel. It sorts before its channels. */
static bool network_shown(const struct network *all, size_t i)
{
    const struct network_entry *e = &all->entries[i];

    if (i && network_compare(e - 1, e) == 0)
        return false;
    for (; !*e->name && ++i < all->n && same_server(e, &all->entries[i]);)
        if (*all->entries[i].name)
            return false;
    return true;
}

static void network_json(struct json *j, const struct network_entry *e)
{
    json_object(j, NULL);
    json_string(j, "kind", e->kind);
    if (*e->name)
        json_string(j, "name", e->name);
    if (*e->driver)
        json_string(j, "driver", e->driver);
    if (*e->host) {
        json_string(j, "host", e->host);
        json_string(j, "address", e->address);
        json_uint(j, "port", e->port);
    }
    json_string(j, "transport", e->transport);
    if (*e->peer)
        json_bytes(j, "certificate", e->peer, strlen(e->peer) - 1);
    json_end_object(j);
}

static void network_print_json(const struct network *all)
{
    struct json j = JSON_INIT(stdout);
    size_t i;

    json_array(&j, NULL);
    for (i = 0; i < all->n; i++)
        if (network_shown(all, i))
            network_json(&j, &all->entries[i]);
    json_end_array(&j);
    json_line(&j);
}

static void network_row(struct table *t, const struct network_entry *e)
{
    table_cell(t, "%s", *e->host ? e->host : "-");
    if (*e->address)
        table_cell(t, "%s%s:%u", e->peer, e->address, e->port);
    else
        table_cell(t, "-");
    table_cell(t, "%s", e->transport);
    table_cell(t, "%s", e->kind);
    table_cell(t, "%s", *e->name ? e->name : "-");
}

static void network_print_table(const struct network *all)
{
    static const char *const heads[] = {"HOST", "ADDRESS", "TRANSPORT", "KIND", "NAME"};
    struct table t = {.align = "lllll"};
    size_t i;

    for (i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        table_cell(&t, "%s", heads[i]);
    for (i = 0; i < all->n; i++)
        if (network_shown(all, i))
            network_row(&t, &all->entries[i]);
    table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
}

static void network_print_names(const struct network *all)
{
    size_t i;

    for (i = 0; i < all->n; i++)
        if (*all->entries[i].name && network_shown(all, i))
            puts(all->entries[i].name);
}

static void network_finish(struct network *all)
{
    while (all->n) {
        struct network_entry *e = &all->entries[--all->n];

        free(e->host);
        free(e->address);
        free(e->transport);
        free(e->peer);
        free(e->name);
        free(e->driver);
    }
    free(all->entries);
}

int network_list(const struct survey *local, const struct network_options *o)
{
    static const char *const types[] = {MDNS_CHANNELS, MDNS_DEVICES, NULL};
    struct network all = {.local = local};
    enum ach_status searched;
    unsigned peers;

    network_add_local(&all);
    peers = peers_find(true, network_found, network_silent, &all);
    searched = discovery_find(types, o->timeout, network_found, &all);
    /* Where peers are configured, there may be no Avahi on purpose. */
    if (searched != ACH_OK)
        complain("%s%s", peers ? "warning: " : "", ach_errstr());
    if (all.n)
        qsort(all.entries, all.n, sizeof(*all.entries), network_compare);
    if (o->json)
        network_print_json(&all);
    else if (o->names)
        network_print_names(&all);
    else
        network_print_table(&all);
    network_finish(&all);
    return searched == ACH_OK || peers ? EXIT_OK : EXIT_FAILED;
}
