/* SPDX-License-Identifier: BSD-3-Clause */
#include "group.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow_source.h"
#include "queue.h"
#include "sender.h"
#include "settings.h"
#include "udp.h"
#include "udp_socket.h"

/* The flow reads the channel. The link is never connected; it holds what the flow needs. */
struct relay_group {
    struct relay_group *next;
    const struct relay_multicast *setting;
    struct in_addr local;
    struct relay_link link;
    struct relay_flow flow;
    struct relay_flow_list members;
};

static const struct relay_multicast *group_setting(const struct relay_flow *f)
{
    const struct relay_multicast *m = f->link->host->multicasts;

    while (m && strcmp(m->channel, f->local) != 0)
        m = m->next;
    return m;
}

bool relay_group_wanted(const struct relay_flow *f)
{
    return f->sends && f->request.udp && group_setting(f);
}

static void group_destroy(struct relay_group *g)
{
    relay_queue_unready(&g->flow);
    relay_flow_source_close(&g->flow);
    relay_udp_destroy(g->link.udp);
    free(g);
}

static enum ach_status group_open(struct relay_group *g)
{
    enum ach_status r = relay_flow_source_open(&g->flow);

    if (r != ACH_OK)
        return r;
    relay_sender_begin(&g->flow);
    g->flow.state = RELAY_FLOW_OPEN;
    relay_queue_ready(&g->flow);
    return ACH_OK;
}

static struct relay_group *group_create(const struct relay_flow *f, struct in_addr local,
                                        uint64_t now)
{
    const struct relay_multicast *m = group_setting(f);
    struct relay_group *g = calloc(1, sizeof(*g));
    int fd = relay_udp_socket_group(f->link->stream.fd, m->group, m->port);

    if (!g || fd < 0) {
        free(g);
        return NULL;
    }
    g->setting = m;
    g->local = local;
    TAILQ_INIT(&g->members);
    g->link.host = f->link->host;
    g->link.state = RELAY_LINK_UP;
    TAILQ_INIT(&g->link.control);
    inet_ntop(AF_INET, m->group, g->link.peer, sizeof(g->link.peer));
    g->flow.link = &g->link;
    g->flow.sends = g->flow.request.udp = true;
    memcpy(g->flow.local, f->local, sizeof(f->local));
    g->link.udp = relay_udp_create_group(&g->link, fd, m->rate, now);
    if (g->link.udp && group_open(g) == ACH_OK) {
        g->link.udp->port = m->port;
        return g;
    }
    group_destroy(g);
    return NULL;
}

/* A group whose channel was replaced takes no new members. */
static struct relay_group *group_find(const struct relay_flow *f, struct in_addr local)
{
    struct relay_group *g = f->link->host->groups;

    while (g && (strcmp(g->flow.local, f->local) != 0 || g->local.s_addr != local.s_addr ||
                 g->flow.source.epoch != f->source.epoch))
        g = g->next;
    return g;
}

bool relay_group_join(struct relay_flow *f, uint64_t now)
{
    struct in_addr local;
    struct relay_group *g;

    if (!relay_udp_socket_local(f->link->stream.fd, &local)) {
        ach_errstr_set(ACH_ENOTSUP, "multicast needs a connection over IPv4");
        return false;
    }
    g = group_find(f, local);
    if (!g) {
        g = group_create(f, local, now);
        if (!g)
            return false;
        g->next = f->link->host->groups;
        f->link->host->groups = g;
    }
    f->group = g;
    TAILQ_INSERT_TAIL(&g->members, f, group_entry);
    relay_queue_control(f, RELAY_FLOW_OPEN);
    return true;
}

static void group_tell_all(struct relay_group *g)
{
    struct relay_flow *f;

    TAILQ_FOREACH(f, &g->members, group_entry)
    relay_queue_control(f, RELAY_FLOW_OPEN);
    g->link.udp->announce = false;
}

void relay_group_leave(struct relay_flow *f)
{
    struct relay_group *g = f->group;

    if (!g)
        return;
    TAILQ_REMOVE(&g->members, f, group_entry);
    f->group = NULL;
    if (relay_sealer_rotate(&g->link.udp->out, relay_clock_now()))
        group_tell_all(g);
    else
        g->link.udp->connected = false; /* better nothing than something with a known key */
}

void relay_group_tell(const struct relay_flow *f, struct relay_buffer *out)
{
    const struct relay_group *g = f->group;
    struct relay_udp_offer o = relay_udp_offer(g->link.udp);

    memcpy(o.group, g->setting->group, sizeof(o.group));
    relay_wire_udp(out, f->number, &o);
}

/* What the group has sent now, each member has sent. */
static void group_count(struct relay_group *g)
{
    struct relay_counts *now = &g->flow.counts;
    struct relay_flow *f;

    TAILQ_FOREACH(f, &g->members, group_entry)
    {
        f->counts.messages += now->messages;
        f->counts.bytes += now->bytes;
        f->counts.gaps += now->gaps;
        f->counts.known += now->known;
    }
    *now = (struct relay_counts){0};
}

static void group_serve(struct relay_group *g, uint64_t now)
{
    struct relay_udp *u = g->link.udp;

    if (g->flow.wake && now >= g->flow.wake) {
        g->flow.wake = 0;
        if (!g->flow.trouble)
            relay_queue_ready(&g->flow);
    }
    relay_udp_tick(u, now);
    if (u->announce)
        group_tell_all(g);
    relay_udp_pump(u, now);
    if (g->flow.counts.messages || g->flow.counts.known)
        group_count(g);
    g->link.dirty = false;
}

/* A group without members ends. */
void relay_groups_serve(struct relay_host *h, uint64_t now)
{
    struct relay_group **at = &h->groups, *g;

    while ((g = *at)) {
        if (TAILQ_EMPTY(&g->members)) {
            *at = g->next;
            group_destroy(g);
        } else {
            group_serve(g, now);
            at = &g->next;
        }
    }
}

static uint64_t group_deadline(const struct relay_group *g)
{
    uint64_t at = relay_udp_deadline(g->link.udp);

    if (g->link.dirty || TAILQ_EMPTY(&g->members))
        return 0;
    return g->flow.wake && g->flow.wake < at ? g->flow.wake : at;
}

uint64_t relay_groups_deadline(const struct relay_host *h)
{
    uint64_t at = UINT64_MAX;
    const struct relay_group *g;

    for (g = h->groups; g; g = g->next)
        at = relay_clock_earlier(at, group_deadline(g));
    return at;
}

void relay_groups_finish(struct relay_host *h)
{
    while (h->groups) {
        struct relay_group *g = h->groups;

        h->groups = g->next;
        group_destroy(g);
    }
}
