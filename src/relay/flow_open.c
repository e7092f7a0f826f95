/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_open.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow_source.h"
#include "group.h"
#include "log.h"
#include "queue.h"
#include "receiver.h"
#include "sender.h"
#include "udp.h"

/* A flow that waits for its channel is not opened yet, so the other side's table may have holes. */
static bool link_reserve(struct relay_link *l, unsigned n)
{
    struct relay_flow **more;

    if (n <= l->n_flows)
        return true;
    more = realloc(l->flows, n * sizeof(struct relay_flow *));
    if (!more)
        return false;
    memset(more + l->n_flows, 0, (n - l->n_flows) * sizeof(struct relay_flow *));
    l->flows = more;
    l->n_flows = n;
    return true;
}

bool relay_flow_join(struct relay_flow *f, struct relay_link *l, unsigned number)
{
    if (number >= RELAY_FLOWS_MAX || !link_reserve(l, number + 1))
        return false;
    f->link = l;
    f->number = (uint16_t)number;
    l->flows[number] = f;
    return true;
}

void relay_flow_reset(struct relay_flow *f)
{
    if (!f->link)
        return;
    relay_queue_unready(f);
    relay_queue_uncontrol(f);
    relay_flow_source_close(f);
    relay_group_leave(f);
    relay_receiver_drop(f);
    relay_udp_unsubscribe(f);
    relay_fragments_reset(&f->incoming);
    relay_sink_leave(&f->sink);
    f->state = RELAY_FLOW_IDLE;
    f->trouble = RELAY_TROUBLE_NONE;
    f->wake = 0;
}

static void retry_later(struct relay_flow *f)
{
    f->delay = relay_clock_pause(f->delay);
    f->state = RELAY_FLOW_WAITING;
    relay_queue_wake(f, relay_clock_now() + f->delay);
}

/* Can ages be compared with max_age? */
static enum ach_status flow_source_timed(struct relay_flow *f)
{
    if (!f->request.max_age || f->source.timestamps || f->source.relayed)
        return ACH_OK;
    relay_flow_source_close(f);
    return ach_errstr_set(ACH_EINVAL, "the age of its messages is not known, so max-age cannot be "
                                      "kept: create the channel with 'ach mk --timestamps'");
}

/* A missing channel is waited for. */
static void begin_sending(struct relay_flow *f)
{
    enum ach_status r = relay_flow_source_open(f);

    if (r == ACH_OK)
        r = flow_source_timed(f);
    if (r == ACH_OK) {
        relay_sender_begin(f);
        relay_queue_control(f, f->asks ? RELAY_FLOW_ASKING : RELAY_FLOW_ANSWERING);
        return;
    }
    relay_flow_explain(f, r, r == ACH_ENOENT ? "waiting for the channel" : ach_errstr());
    if (r == ACH_ENOENT)
        f->state = RELAY_FLOW_WAITING;
    else if (f->asks)
        retry_later(f);
    else
        relay_queue_control(f, RELAY_FLOW_REFUSING);
}

/* The channel may be created later, when the sender's terms are known. */
static void begin_receiving(struct relay_flow *f)
{
    f->generation++;
    relay_sink_open(&f->link->host->sinks, f->local, NULL, false, &f->sink);
    if (f->sink)
        f->sink_epoch = f->sink->epoch;
    relay_queue_control(f, RELAY_FLOW_ASKING);
}

void relay_flow_begin(struct relay_flow *f)
{
    relay_flow_reset(f);
    if (f->request.udp && !relay_udp_start(f->link, true, relay_clock_now())) {
        relay_flow_explain(f, ACH_FAILED_SYSCALL, ach_errstr());
        retry_later(f);
    } else if (f->sends)
        begin_sending(f);
    else
        begin_receiving(f);
}

static bool may_create(const struct relay_flow *f)
{
    const char *pattern = f->link->host->create;

    return f->asks || (pattern && fnmatch(pattern, f->local, 0) == 0);
}

/* How large a channel may be that is created now. */
static uint64_t create_max(const struct relay_flow *f)
{
    const struct relay_limits *limits = &f->link->host->limits;
    uint64_t used = f->link->account->created;
    uint64_t left = limits->created > used ? limits->created - used : 0;

    return f->asks || left > limits->channel ? limits->channel : left;
}

static bool take_sink(struct relay_flow *f, const struct relay_terms *sender)
{
    struct relay_sinks *sinks = &f->link->host->sinks;
    uint64_t created = sinks->created;
    enum ach_status r;

    sinks->memory_max = create_max(f);
    r = relay_sink_open(sinks, f->local, sender, may_create(f), &f->sink);
    if (!f->asks)
        f->link->account->created += sinks->created - created;
    f->peer_epoch = sender->epoch;
    if (r == ACH_OK)
        f->sink_epoch = f->sink->epoch;
    else
        relay_flow_explain(f, r, ach_errstr());
    return r == ACH_OK;
}

/*
 * The name is checked first: the library refuses it with a reason. A channel that is not on the
 * peer's list is not looked for, so that the answer is the same if it does not exist.
 */
static enum ach_status flow_permit(const struct relay_flow *f, const struct relay_request *q)
{
    const char *peer = relay_secure_peer(&f->link->stream);
    char path[4096];
    enum ach_status r = ach_channel_path(q->name, path, sizeof(path));

    if (r != ACH_OK || relay_access_allows(f->link->host->rules, peer, q->push, q->name))
        return r;
    return ach_errstr_set(ACH_EACCES, "%s may not %s the channel '%s' of %s: it is not on its list",
                          *peer ? peer : RELAY_ACCESS_PLAIN, q->push ? "write" : "read", q->name,
                          f->link->host->name);
}

void relay_flow_asked(struct relay_flow *f, const struct relay_request *q,
                      const struct relay_terms *t, uint8_t generation)
{
    enum ach_status r;

    relay_flow_reset(f);
    r = flow_permit(f, q);
    f->request = *q;
    f->sends = !q->push;
    snprintf(f->local, sizeof(f->local), "%s", q->name);
    if (r == ACH_OK && q->udp && !(f->link->udp && f->link->udp->connected))
        r = ach_errstr_set(ACH_EINVAL, "datagrams cannot be exchanged with this peer");
    if (r != ACH_OK) {
        relay_flow_explain(f, r, ach_errstr());
        relay_queue_control(f, RELAY_FLOW_REFUSING);
    } else if (f->sends) {
        relay_sender_accept(f, t, generation);
        begin_sending(f);
    } else {
        f->generation++;
        relay_queue_control(f, take_sink(f, t) ? RELAY_FLOW_ANSWERING : RELAY_FLOW_REFUSING);
    }
}

static void flow_opened(struct relay_flow *f)
{
    f->state = RELAY_FLOW_OPEN;
    f->delay = 0;
    relay_flow_explain(f, ACH_OK, "");
    if (!f->sends) {
        relay_fragments_reset(&f->incoming);
        f->count = 0;
    }
    if (relay_group_wanted(f) && !f->group && !relay_group_join(f, relay_clock_now())) {
        relay_flow_fail(f, ACH_ENOTSUP, ach_errstr());
        return;
    }
    relay_queue_ready(f);
    relay_log_detail("%s: channel '%s' is %s", f->link->peer, f->local,
                     f->sends ? "sent" : "received");
}

/* A source that was read already is opened again, to begin with the oldest message. */
static void answered_sender(struct relay_flow *f, const struct relay_terms *t, uint8_t generation)
{
    uint64_t epoch = f->source.epoch;

    if (f->source.seq && (relay_flow_source_open(f) != ACH_OK || f->source.epoch != epoch)) {
        relay_flow_begin(f);
        return;
    }
    relay_sender_accept(f, t, generation);
    relay_sender_begin(f);
    flow_opened(f);
}

void relay_flow_answered(struct relay_flow *f, const struct relay_terms *t, uint8_t generation)
{
    if (f->state != RELAY_FLOW_ASKED && f->state != RELAY_FLOW_OPEN)
        return;
    if (f->sends) {
        answered_sender(f, t, generation);
    } else if (take_sink(f, t)) {
        flow_opened(f);
    } else {
        relay_queue_control(f, RELAY_FLOW_CLOSING);
    }
}

void relay_flow_refused(struct relay_flow *f, enum ach_status status, const char *text)
{
    relay_flow_reset(f);
    relay_flow_explain(f, status, text);
    if (f->asks)
        retry_later(f);
}

void relay_flow_end(struct relay_flow *f)
{
    relay_flow_reset(f);
    relay_queue_control(f, RELAY_FLOW_CLOSING);
}

void relay_flow_fail(struct relay_flow *f, enum ach_status status, const char *why)
{
    relay_flow_explain(f, status, why);
    relay_flow_end(f);
}

void relay_flow_lost(struct relay_flow *f)
{
    if (f->asks || f->sends) {
        relay_flow_begin(f);
        return;
    }
    relay_flow_fail(f, ACH_ENOENT, "the channel was removed or replaced");
}

void relay_flow_busy(struct relay_flow *f)
{
    relay_flow_fail(f, ACH_EAGAIN, "another process holds the lock of the channel");
}

void relay_flow_check(struct relay_flow *f)
{
    enum ach_status r;

    if (f->asks || f->state == RELAY_FLOW_IDLE)
        return;
    r = flow_permit(f, &f->request);
    if (r != ACH_OK)
        relay_flow_fail(f, r, ach_errstr());
}

static bool channel_lost(const struct relay_flow *f)
{
    if (f->sends)
        return f->source.open && relay_source_lost(&f->source);
    return f->sink && (relay_sink_check(f->sink) || relay_receiver_lost(f));
}

void relay_flow_notice(struct relay_flow *f)
{
    if (f->state == RELAY_FLOW_WAITING && f->sends)
        relay_flow_begin(f);
    else if (f->state != RELAY_FLOW_IDLE && channel_lost(f))
        relay_flow_lost(f);
}

void relay_flow_tick(struct relay_flow *f)
{
    f->wake = 0;
    if (f->trouble == RELAY_TROUBLE_LOST)
        relay_flow_lost(f);
    else if (f->trouble == RELAY_TROUBLE_BUSY)
        relay_flow_busy(f);
    else if (f->trouble == RELAY_TROUBLE_LARGE)
        relay_flow_end(f);
    else if (f->state == RELAY_FLOW_WAITING)
        relay_flow_begin(f);
    else
        relay_queue_ready(f);
}

/* What this side's channel is like. */
static void flow_terms(const struct relay_flow *f, struct relay_terms *t)
{
    ach_info_t info;
    enum ach_status r = ACH_OK;

    memset(t, 0, sizeof(*t));
    if (f->sends) {
        r = ach_channel_info(&f->source.chan, &info);
        if (r == ACH_OK)
            r = relay_channel_terms(&f->source.chan, &info, t);
    } else if (f->sink && f->sink->open) {
        r = relay_sink_terms(f->sink, t);
    }
    if (r != ACH_OK)
        memset(t, 0, sizeof(*t));
}

static void flow_answer(struct relay_flow *f, struct relay_buffer *out)
{
    struct relay_terms t;

    flow_terms(f, &t);
    relay_wire_opened(out, f->number, f->generation, &t);
    flow_opened(f);
}

static void flow_ask(struct relay_flow *f, struct relay_buffer *out)
{
    struct relay_terms t;

    flow_terms(f, &t);
    relay_wire_open(out, f->number, f->generation, &f->request, &t);
    f->state = RELAY_FLOW_ASKED;
}

void relay_flow_control(struct relay_flow *f, struct relay_buffer *out)
{
    relay_queue_uncontrol(f);
    switch (f->state) {
    case RELAY_FLOW_OPEN:
        if (f->group)
            relay_group_tell(f, out);
        break;
    case RELAY_FLOW_ASKING:
        flow_ask(f, out);
        break;
    case RELAY_FLOW_ANSWERING:
        flow_answer(f, out);
        break;
    case RELAY_FLOW_REFUSING:
        relay_wire_refused(out, f->number, f->why_status, f->why);
        relay_flow_reset(f);
        break;
    case RELAY_FLOW_CLOSING:
        relay_wire_close(out, f->number, f->why);
        relay_flow_reset(f);
        if (f->asks)
            retry_later(f);
        break;
    default:
        break;
    }
}
