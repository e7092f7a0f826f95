/* SPDX-License-Identifier: BSD-3-Clause */
#include "peers.h"

#include <stdio.h>
#include <string.h>

#include "json_parse.h"
#include "peer_list.h"
#include "relay_status.h"

/* The channel with the list of a peer's channels, as it is called there. */
#define LIST_PREFIX "achd-channels."
#define LIST_TEXT (256u << 10) /* what that channel holds at most */
#define PEERS_MAX 256u

struct peers {
    bool all;
    discovered_t *report;
    peers_silent_t *silent;
    void *context;
    unsigned n;
    const struct discovered *host;            /* whose list is read */
    char lists[PEERS_MAX][ACH_CHAN_NAME_MAX]; /* the channels that were read, each once */
};

static void peers_list(void *context, const char *text, size_t size)
{
    const struct peers *p = context;

    if (size <= LIST_TEXT)
        peer_list_read(text, size, p->host, p->report, p->context);
}

/* Remember the channel of the next host. False: it has been read. */
static bool peers_take(struct peers *p, const char *channel)
{
    unsigned i;

    for (i = 0; i < p->n; i++)
        if (strcmp(p->lists[i], channel) == 0)
            return false;
    snprintf(p->lists[p->n++], sizeof(p->lists[0]), "%s", channel);
    return true;
}

static void peers_flow(struct peers *p, const struct value *link, const struct value *flow)
{
    char remote[DISCOVERY_TEXT], channel[ACH_CHAN_NAME_MAX], address[DISCOVERY_TEXT], port[16];
    char state[DISCOVERY_TEXT], why[DISCOVERY_TEXT];
    struct discovered d = {.name = "", .driver = "", .server = "", .transport = "tcp", .peer = ""};
    unsigned number = 0;

    peer_list_text(flow, "remote", remote, sizeof(remote));
    peer_list_text(flow, "channel", channel, sizeof(channel));
    if (strncmp(remote, LIST_PREFIX, strlen(LIST_PREFIX)) != 0 || p->n >= PEERS_MAX ||
        !peers_take(p, channel))
        return;
    peer_list_text(link, "peer", address, sizeof(address));
    peer_list_text(link, "port", port, sizeof(port));
    peer_list_text(flow, "state", state, sizeof(state));
    if (strcmp(state, "open") != 0) {
        peer_list_text(value_member(link, "why", 3) ? link : flow, "why", why, sizeof(why));
        p->silent(p->context, address, port, *why ? why : state);
        return;
    }
    sscanf(port, "%u", &number);
    d.host = d.address = address;
    d.port = (uint16_t)number;
    p->host = &d;
    relay_status_newest(channel, p->all, peers_list, p);
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

unsigned peers_find(bool all, discovered_t *report, peers_silent_t *silent, void *context)
{
    struct peers p = {.all = all, .report = report, .silent = silent, .context = context};

    relay_status_each(all, peers_status, &p);
    return p.n;
}
