/* SPDX-License-Identifier: BSD-3-Clause */
#include "peers.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json_parse.h"
#include "peer_list.h"
#include "relay_status.h"

/* The channel with the list of a peer's channels, as it is called there. */
#define LIST_PREFIX "achd-channels."

struct peers {
    discovered_t *report;
    void *context;
    unsigned n;
    const struct discovered *host; /* whose list is read */
};

static void peers_list(void *context, const char *text, size_t size)
{
    const struct peers *p = context;

    peer_list_read(text, size, p->host, p->report, p->context);
}

static void peers_flow(struct peers *p, const struct value *link, const struct value *flow)
{
    char remote[DISCOVERY_TEXT], channel[DISCOVERY_TEXT], address[DISCOVERY_TEXT], port[16];
    char state[DISCOVERY_TEXT], why[DISCOVERY_TEXT];
    struct discovered d = {.name = "", .driver = "", .server = "", .transport = "tcp", .peer = ""};
    unsigned number = 0;

    peer_list_text(flow, "remote", remote, sizeof(remote));
    if (strncmp(remote, LIST_PREFIX, strlen(LIST_PREFIX)) != 0)
        return;
    p->n++;
    peer_list_text(link, "peer", address, sizeof(address));
    peer_list_text(link, "port", port, sizeof(port));
    peer_list_text(flow, "channel", channel, sizeof(channel));
    peer_list_text(flow, "state", state, sizeof(state));
    if (strcmp(state, "open") != 0) {
        peer_list_text(value_member(link, "why", 3) ? link : flow, "why", why, sizeof(why));
        complain("warning: no list of channels from %s:%s: %s", address, port, *why ? why : state);
        return;
    }
    sscanf(port, "%u", &number);
    d.host = d.address = address;
    d.port = (uint16_t)number;
    p->host = &d;
    relay_status_newest(channel, peers_list, p);
}

static void peers_status(void *context, const char *text, size_t size)
{
    struct value_tree tree = {.root = {.kind = VALUE_NULL}};
    const struct value *links = NULL, *flows;
    size_t i, k;

    if (value_parse_json(&tree.arena, text, size, &tree.root) == ACH_OK)
        links = peer_list_items(&tree.root, "links");
    for (i = 0; links && i < links->count; i++) {
        flows = peer_list_items(&links->items[i], "flows");
        for (k = 0; flows && k < flows->count; k++)
            peers_flow(context, &links->items[i], &flows->items[k]);
    }
    value_tree_finish(&tree);
}

unsigned peers_find(discovered_t *report, void *context)
{
    struct peers p = {.report = report, .context = context};

    relay_status_each(peers_status, &p);
    return p.n;
}
