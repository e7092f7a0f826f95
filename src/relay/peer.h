/* SPDX-License-Identifier: BSD-3-Clause */
/* peer.h - another host that this daemon connects to, again and again */
#ifndef RELAY_PEER_H
#define RELAY_PEER_H

#include "link.h"
#include "lookup.h"
#include "settings.h"

struct relay_peer {
    struct relay_watch watch; /* of the look-up; must be first */
    struct relay_peer *next;
    struct relay_host *host;
    char name[RELAY_HOST_MAX];
    unsigned port;
    struct relay_lookup *lookup; /* of its addresses, anew for each attempt; NULL: none */
    bool answered;               /* the look-up has ended */
    char expected[TLS_NAME_MAX]; /* name of its certificate; "": that of this host */
    struct relay_link *link;     /* NULL: not connected, and not connecting */
    struct relay_flow *flows;
    unsigned n_flows;
    unsigned attempts;
    bool up;
    uint64_t connections, delay, next_try;
    char why[RELAY_WIRE_TEXT]; /* it is not connected */
};

/* A peer for each address in the settings. NULL: no memory, or there is no flow. */
struct relay_peer *relay_peers_create(struct relay_host *host, const struct relay_settings *s);
void relay_peers_destroy(struct relay_peer *first);

/* Connections that replaced one that was lost. */
static inline uint64_t relay_peer_reconnections(const struct relay_peer *p)
{
    return p->connections ? p->connections - 1 : 0;
}

/* Connect if it is time to; take notice of a link that has ended. */
void relay_peer_tick(struct relay_peer *p, uint64_t now);
uint64_t relay_peer_deadline(const struct relay_peer *p);

#endif
