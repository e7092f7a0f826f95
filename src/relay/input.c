/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow_open.h"
#include "log.h"
#include "receiver.h"
#include "udp.h"

#define ACK_DELAY_NS 5000000u

/* Bytes of answers that wait, before a peer is refused no more flows but the connection. */
#define REFUSALS_MAX 65536u

static bool misbehaves(const char *what)
{
    ach_errstr_set(ACH_CORRUPT, "it does not follow the protocol: %s", what);
    return false;
}

static bool input_hello(struct relay_link *l, const struct relay_frame *f)
{
    struct relay_hello h;
    unsigned i;

    if (!relay_wire_read_hello(f, &h))
        return misbehaves("it is not a relay of Ach");
    if (h.major != RELAY_WIRE_MAJOR) {
        ach_errstr_set(ACH_BAD_HEADER, "it speaks version %u of the protocol, this is version %u",
                       h.major, RELAY_WIRE_MAJOR);
        return false;
    }
    l->state = RELAY_LINK_UP;
    l->peer_instance = h.instance;
    l->host->changed = true;
    relay_log_note("connected with %s (%s)", l->peer, h.host);
    for (i = 0; i < l->n_flows; i++)
        if (l->flows[i])
            relay_flow_begin(l->flows[i]);
    return true;
}

static struct relay_flow *input_flow(const struct relay_link *l, const struct relay_frame *f)
{
    return f->flow < l->n_flows ? l->flows[f->flow] : NULL;
}

static struct relay_flow *new_flow(struct relay_link *l, uint16_t number)
{
    struct relay_flow *f = calloc(1, sizeof(*f));

    if (f && relay_flow_join(f, l, number)) {
        l->account->flows++;
        return f;
    }
    free(f);
    return NULL;
}

/* Refuse a flow for which there is no place. A peer that does not read the answers is given up. */
static bool refuse_flow(struct relay_link *l, uint16_t number)
{
    char why[RELAY_WIRE_TEXT];

    snprintf(why, sizeof(why), "too many channels: the limit of a peer is %llu",
             (unsigned long long)l->host->limits.flows);
    if (relay_buffer_left(&l->out) > REFUSALS_MAX)
        return misbehaves(why);
    relay_wire_refused(&l->out, number, ACH_OVERFLOW, why);
    l->dirty = true;
    return true;
}

static bool input_open(struct relay_link *l, const struct relay_frame *f)
{
    struct relay_request q;
    struct relay_terms t;
    struct relay_flow *flow;

    if (l->asks)
        return misbehaves("OPEN from the side that was connected to");
    if (!relay_wire_read_open(f, &q, &t))
        return misbehaves("bad OPEN");
    flow = input_flow(l, f);
    if (!flow && (f->flow >= l->host->limits.flows || l->account->flows >= l->host->limits.flows))
        return refuse_flow(l, f->flow);
    if (!flow)
        flow = new_flow(l, f->flow);
    if (!flow)
        return misbehaves("the number of a flow is too large, or there is no memory");
    if (!flow->charged && !relay_flow_charge(flow, 0))
        return misbehaves(flow->why);
    relay_flow_asked(flow, &q, &t, f->flags);
    return true;
}

static bool input_opened(struct relay_link *l, const struct relay_frame *f)
{
    struct relay_flow *flow = input_flow(l, f);
    struct relay_terms t;

    if (!flow || !flow->asks || !relay_wire_read_opened(f, &t))
        return misbehaves("bad OPENED");
    relay_flow_answered(flow, &t, f->flags);
    return true;
}

static bool input_refused(struct relay_link *l, const struct relay_frame *f)
{
    struct relay_flow *flow = input_flow(l, f);
    enum ach_status status = ACH_ENOENT;
    char text[RELAY_WIRE_TEXT];

    if (!flow || !(f->kind == RELAY_REFUSED ? relay_wire_read_refused(f, &status, text)
                                            : relay_wire_read_close(f, text)))
        return misbehaves("bad REFUSED or CLOSE");
    relay_flow_refused(flow, status, text);
    return true;
}

/* Parts that belong to an earlier generation count, and are ignored. */
static bool input_data(struct relay_link *l, const struct relay_frame *f, uint64_t now)
{
    struct relay_flow *flow = input_flow(l, f);
    bool first = f->kind == RELAY_DATA;
    struct relay_data d;
    enum relay_put r;

    if (!flow || flow->sends ||
        !(first ? relay_wire_read_data(f, &d) : relay_wire_read_more(f, &d)))
        return misbehaves("bad DATA or MORE");
    l->ack.consumed += RELAY_WIRE_HEADER + f->size;
    l->ack.echo = d.sent;
    l->ack.received = now;
    l->traffic = true;
    if (!l->ack_due)
        l->ack_due = now + ACK_DELAY_NS;
    if (flow->state != RELAY_FLOW_OPEN || f->flags != flow->generation)
        return true;
    r = first ? relay_receiver_data(flow, &d) : relay_receiver_more(flow, &d);
    if (r == RELAY_PUT_LOST)
        relay_flow_lost(flow);
    else if (r == RELAY_PUT_BUSY)
        relay_flow_busy(flow);
    else if (!first && !flow->parts)
        l->ack_due = now;
    return true;
}

static bool input_ack(struct relay_link *l, const struct relay_frame *f, uint64_t now)
{
    struct relay_ack a;
    uint64_t round_trip;

    if (!relay_wire_read_ack(f, &a))
        return misbehaves("bad ACK");
    round_trip = relay_clock_sample(&l->clock, a.echo, a.received, a.sent, now);
    return relay_window_ack(&l->window, &a, round_trip) ||
           misbehaves("ACK of bytes that were not sent");
}

static bool input_ping(struct relay_link *l, const struct relay_frame *f, uint64_t now)
{
    l->pong = relay_wire_read_ping(f, &l->pong_times.echo);
    l->pong_times.received = now;
    return l->pong || misbehaves("bad PING");
}

static bool input_pong(struct relay_link *l, const struct relay_frame *f, uint64_t now)
{
    struct relay_ack a;

    if (!relay_wire_read_pong(f, &a))
        return misbehaves("bad PONG");
    relay_clock_sample(&l->clock, a.echo, a.received, a.sent, now);
    return true;
}

/* Datagrams of the link, or of one flow from a group. */
static bool input_udp(struct relay_link *l, const struct relay_frame *f, uint64_t now)
{
    static const unsigned char none[4];
    struct relay_flow *flow = input_flow(l, f);
    struct relay_udp_offer o;

    if (!relay_wire_read_udp(f, &o))
        return misbehaves("bad UDP");
    if (memcmp(o.group, none, sizeof(none)) == 0) {
        if (!relay_udp_offered(l, &o, now))
            relay_log_note("%s: no datagrams: %s", l->peer, ach_errstr());
        return true;
    }
    if (!flow || flow->sends || !flow->request.udp)
        return misbehaves("UDP for a flow without datagrams");
    if (flow->state == RELAY_FLOW_OPEN && !relay_udp_subscribed(flow, &o, now))
        relay_flow_fail(flow, ACH_ENOTSUP, ach_errstr());
    return true;
}

bool relay_input_frame(struct relay_link *l, const struct relay_frame *f, uint64_t now)
{
    if (l->state == RELAY_LINK_GREETING)
        return input_hello(l, f);
    switch (f->kind) {
    case RELAY_HELLO:
        return misbehaves("a second HELLO");
    case RELAY_OPEN:
        return input_open(l, f);
    case RELAY_OPENED:
        return input_opened(l, f);
    case RELAY_REFUSED:
    case RELAY_CLOSE:
        return input_refused(l, f);
    case RELAY_DATA:
    case RELAY_MORE:
        return input_data(l, f, now);
    case RELAY_ACK:
        return input_ack(l, f, now);
    case RELAY_PING:
        return input_ping(l, f, now);
    case RELAY_PONG:
        return input_pong(l, f, now);
    case RELAY_UDP:
        return input_udp(l, f, now);
    default:
        return true; /* of a later minor version */
    }
}
