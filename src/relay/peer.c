/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow_open.h"
#include "log.h"

#define DELAY_FIRST_NS 100000000u
#define DELAY_MAX_NS 5000000000u

static struct relay_peer *peer_of(struct relay_peer *first, const struct relay_flow_setting *s)
{
    while (first && (strcmp(first->name, s->host) != 0 || first->port != s->port))
        first = first->next;
    return first;
}

static unsigned count_flows(const struct relay_settings *s, const struct relay_flow_setting *like)
{
    const struct relay_flow_setting *f;
    unsigned n = 0;

    for (f = s->flows; f; f = f->next)
        n += strcmp(f->host, like->host) == 0 && f->port == like->port;
    return n;
}

static void peer_add_flow(struct relay_peer *p, const struct relay_flow_setting *s)
{
    struct relay_flow *f = &p->flows[p->n_flows++];

    f->asks = true;
    f->sends = s->request.push;
    f->request = s->request;
    memcpy(f->local, s->local, sizeof(f->local));
}

static struct relay_peer *peer_create(struct relay_host *host, const struct relay_settings *s,
                                      const struct relay_flow_setting *like)
{
    struct relay_peer *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->host = host;
    p->flows = calloc(count_flows(s, like), sizeof(*p->flows));
    p->port = like->port;
    memcpy(p->name, like->host, sizeof(p->name));
    if (p->flows)
        return p;
    free(p);
    return NULL;
}

struct relay_peer *relay_peers_create(struct relay_host *host, const struct relay_settings *s)
{
    struct relay_peer *first = NULL;
    const struct relay_flow_setting *f;

    for (f = s->flows; f; f = f->next) {
        struct relay_peer *p = peer_of(first, f);

        if (!p) {
            p = peer_create(host, s, f);
            if (!p) {
                relay_peers_destroy(first);
                return NULL;
            }
            p->next = first;
            first = p;
        }
        peer_add_flow(p, f);
    }
    return first;
}

void relay_peers_destroy(struct relay_peer *first)
{
    while (first) {
        struct relay_peer *next = first->next;

        if (first->link)
            relay_link_destroy(first->link);
        free(first->flows);
        free(first);
        first = next;
    }
}

/* Twice as long each time, less up to a quarter, so that peers of a restarted host spread. */
static void peer_later(struct relay_peer *p, const char *why, uint64_t now)
{
    if (strcmp(p->why, why) != 0)
        relay_log_note("%s:%u: %s", p->name, p->port, why);
    snprintf(p->why, sizeof(p->why), "%s", why);
    p->delay = p->delay ? p->delay * 2 : DELAY_FIRST_NS;
    if (p->delay > DELAY_MAX_NS)
        p->delay = DELAY_MAX_NS;
    p->next_try = now + p->delay - (uint64_t)random() % (p->delay / 4);
    p->host->changed = true;
}

static void peer_connect(struct relay_peer *p, uint64_t now)
{
    struct relay_stream s;
    unsigned i;

    if (!relay_tcp_connect(&s, p->name, p->port, p->attempts++, p->host->insecure)) {
        peer_later(p, ach_errstr(), now);
        return;
    }
    p->link = relay_link_create(p->host, &s, true, p->name);
    if (!p->link) {
        peer_later(p, "no memory for a connection", now);
        return;
    }
    for (i = 0; i < p->n_flows; i++)
        if (!relay_flow_join(&p->flows[i], p->link, i))
            relay_log_error("%s: too many channels; '%s' is not relayed", p->name,
                            p->flows[i].local);
}

/* A connection that was greeted resets the delay. */
static void peer_ended(struct relay_peer *p, uint64_t now)
{
    char why[RELAY_WIRE_TEXT];

    snprintf(why, sizeof(why), "%s", p->link->why);
    if (p->link->peer_instance)
        p->delay = 0;
    relay_link_destroy(p->link);
    p->link = NULL;
    p->up = false;
    peer_later(p, why, now);
}

void relay_peer_tick(struct relay_peer *p, uint64_t now)
{
    if (p->link && p->link->state == RELAY_LINK_DEAD)
        peer_ended(p, now);
    if (p->link && p->link->state == RELAY_LINK_UP && !p->up) {
        p->up = true;
        p->connections++;
        *p->why = '\0';
    }
    if (!p->link && now >= p->next_try)
        peer_connect(p, now);
}

uint64_t relay_peer_deadline(const struct relay_peer *p)
{
    return p->link ? relay_link_deadline(p->link) : p->next_try;
}
