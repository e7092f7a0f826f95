/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow_open.h"
#include "log.h"

static struct relay_peer *peer_of(struct relay_peer *first, const struct relay_flow_setting *s)
{
    while (first && (strcmp(first->name, s->host) != 0 || first->port != s->port ||
                     strcmp(first->expected, s->name) != 0))
        first = first->next;
    return first;
}

static unsigned count_flows(const struct relay_settings *s, const struct relay_flow_setting *like)
{
    const struct relay_flow_setting *f;
    unsigned n = 0;

    for (f = s->flows; f; f = f->next)
        n += strcmp(f->host, like->host) == 0 && f->port == like->port &&
             strcmp(f->name, like->name) == 0;
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
    memcpy(p->expected, like->name, sizeof(p->expected));
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

static void peer_end_lookup(struct relay_peer *p)
{
    relay_loop_remove(&p->host->loop, &p->watch);
    relay_lookup_destroy(p->lookup);
    p->lookup = NULL;
    p->answered = false;
}

void relay_peers_destroy(struct relay_peer *first)
{
    while (first) {
        struct relay_peer *next = first->next;

        if (first->link)
            relay_link_destroy(first->link);
        peer_end_lookup(first);
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
    p->delay = relay_clock_pause(p->delay);
    p->next_try = now + p->delay - (uint64_t)random() % (p->delay / 4);
    p->host->changed = true;
}

static void lookup_ready(struct relay_watch *w, uint32_t events)
{
    struct relay_peer *p = (struct relay_peer *)w;

    (void)events;
    p->answered = true;
    relay_loop_remove(&p->host->loop, w);
}

static void peer_look_up(struct relay_peer *p, uint64_t now)
{
    p->lookup = relay_lookup_create(p->name, p->port);
    p->watch.ready = lookup_ready;
    if (!p->lookup) {
        peer_later(p, ach_errstr(), now);
    } else if (!relay_loop_add(&p->host->loop, &p->watch, relay_lookup_fd(p->lookup), EPOLLIN)) {
        peer_end_lookup(p);
        peer_later(p, "cannot wait for the address", now);
    }
}

static bool peer_dial(struct relay_peer *p, struct relay_stream *s)
{
    const struct addrinfo *found = relay_lookup_result(p->lookup);
    struct relay_secure *x = p->host->secure;

    return found && relay_tcp_connect(s, p->name, found, p->attempts++, x || p->host->insecure) &&
           (!x || relay_secure_begin(x, s, TLS_CLIENT, p->expected));
}

static bool peer_open_link(struct relay_peer *p)
{
    struct relay_stream s;

    if (!peer_dial(p, &s))
        return false;
    p->link = relay_link_create(p->host, &s, true, p->name);
    if (!p->link)
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a connection");
    return p->link;
}

static void peer_connect(struct relay_peer *p, uint64_t now)
{
    bool ok = peer_open_link(p);
    unsigned i;

    peer_end_lookup(p);
    if (!ok)
        peer_later(p, ach_errstr(), now);
    for (i = 0; ok && i < p->n_flows; i++)
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
    if (p->answered)
        peer_connect(p, now);
    else if (!p->link && !p->lookup && now >= p->next_try)
        peer_look_up(p, now);
}

uint64_t relay_peer_deadline(const struct relay_peer *p)
{
    if (p->link)
        return relay_link_deadline(p->link);
    if (p->lookup)
        return p->answered ? 0 : UINT64_MAX;
    return p->next_try;
}
