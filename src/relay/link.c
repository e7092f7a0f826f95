/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow_open.h"
#include "input.h"
#include "log.h"
#include "queue.h"
#include "sender.h"
#include "udp.h"

#define READ_ROOM 65536u
#define READ_ROOM_GREETING 1024u
#define READS_MAX 16u

/* Acknowledge so many bytes at once, others after this time. */
#define ACK_BYTES 1024u

/* Frames for the opening of flows in one batch, and small messages. */
#define BATCH 16384u

#define PING_TRAFFIC_NS 1000000000u

/* The longest numeric address, with the name of an interface. */
#define ADDRESS_MAX 80

static void link_ready(struct relay_watch *w, uint32_t events);
static void link_establish(struct relay_link *l);

static void link_greet(struct relay_link *l)
{
    struct relay_hello h = {.major = RELAY_WIRE_MAJOR,
                            .minor = RELAY_WIRE_MINOR,
                            .instance = l->host->instance,
                            .largest = RELAY_WIRE_FRAME_MAX};

    snprintf(h.host, sizeof(h.host), "%s", l->host->name);
    relay_wire_hello(&l->out, &h);
}

struct relay_link *relay_link_create(struct relay_host *host, struct relay_stream *s, bool asks,
                                     const char *peer)
{
    struct relay_link *l = calloc(1, sizeof(*l));
    unsigned i;

    if (!l || !relay_loop_add(&host->loop, &l->watch, s->fd, asks ? EPOLLOUT : EPOLLIN)) {
        free(l);
        s->ops->close(s);
        return NULL;
    }
    l->watch.ready = link_ready;
    l->host = host;
    l->stream = *s;
    l->asks = asks;
    l->state = RELAY_LINK_CONNECTING;
    l->dirty = true;
    l->began = l->heard = relay_clock_now();
    snprintf(l->peer, sizeof(l->peer), "%s", peer);
    relay_window_init(&l->window, host->window_max, l->began);
    for (i = 0; i < RELAY_PRIORITIES; i++)
        TAILQ_INIT(&l->ready[i]);
    TAILQ_INIT(&l->control);
    if (!asks)
        link_establish(l);
    return l;
}

void relay_link_destroy(struct relay_link *l)
{
    unsigned i;

    for (i = 0; i < l->n_flows; i++) {
        struct relay_flow *f = l->flows[i];

        if (!f)
            continue;
        relay_flow_reset(f);
        if (l->account) {
            relay_account_charge(l->account, f->charged, 0, 0);
            l->account->flows -= !l->asks;
        }
        f->charged = 0;
        relay_udp_destroy(f->multicast);
        f->multicast = NULL;
        f->link = NULL;
        if (!l->asks)
            free(f);
    }
    free(l->flows);
    relay_udp_destroy(l->udp);
    relay_account_release(&l->host->accounts, l->account);
    relay_buffer_finish(&l->in);
    relay_buffer_finish(&l->out);
    if (l->watch.fd)
        relay_loop_remove(&l->host->loop, &l->watch);
    l->stream.ops->close(&l->stream);
    free(l);
}

/* What errno of a stream means. */
static const char *link_error(const struct relay_link *l)
{
    if (errno == EPROTO)
        return ach_errstr();
    if ((errno == 0 || errno == ECONNRESET) && l->asks && l->state == RELAY_LINK_GREETING &&
        !l->stream.session)
        return "it has closed the connection; if it uses TLS, use --tls";
    return errno ? strerror(errno) : "it has closed the connection";
}

void relay_link_close(struct relay_link *l, const char *why)
{
    if (l->state == RELAY_LINK_DEAD)
        return;
    snprintf(l->why, sizeof(l->why), "%s", why);
    l->state = RELAY_LINK_DEAD;
    l->host->changed = true;
    relay_loop_remove(&l->host->loop, &l->watch);
}

/*
 * The peer is known now: by its certificate, otherwise by its address. The certificate is checked
 * again, because the keys may have been read again since the handshake began.
 */
static bool link_admit(struct relay_link *l)
{
    const char *name = relay_secure_peer(&l->stream);
    char address[RELAY_WIRE_TEXT];

    if (!relay_secure_check(&l->stream)) {
        relay_link_close(l, ach_errstr());
        return false;
    }
    l->account = relay_account_take(&l->host->accounts, *name ? name : l->peer);
    if (!l->account) {
        relay_link_close(l, "no memory");
        return false;
    }
    if (*name && !l->asks) {
        memcpy(address, l->peer, sizeof(address));
        snprintf(l->peer, sizeof(l->peer), "%s@%.*s", name, ADDRESS_MAX, address);
    }
    if (l->asks || l->account->links <= l->host->limits.peer_connections)
        return true;
    relay_link_close(l, "it has too many connections, see the limit peer-connections");
    return false;
}

/* Go on to connect; then greet. */
static void link_establish(struct relay_link *l)
{
    if (!l->stream.ops->connected(&l->stream)) {
        if (errno == EAGAIN)
            relay_loop_want(&l->host->loop, &l->watch, l->stream.wants);
        else
            relay_link_close(l, link_error(l));
        return;
    }
    if (!link_admit(l))
        return;
    l->state = RELAY_LINK_GREETING;
    l->began = l->heard = relay_clock_now();
    relay_loop_want(&l->host->loop, &l->watch, EPOLLIN);
    link_greet(l);
}

/* Opening a channel takes long, so a peer that opens many waits meanwhile. False: it waits. */
static bool may_open(struct relay_link *l, uint64_t now)
{
    uint64_t until = relay_account_opened(l->account, 0, now);

    if (until > l->paused)
        l->paused = until;
    return !until;
}

static bool link_frame(struct relay_link *l, const struct relay_frame *f, uint64_t now)
{
    uint64_t begin = f->kind == RELAY_OPEN ? relay_clock_now() : 0;
    bool good = relay_input_frame(l, f, now);

    if (begin)
        relay_account_opened(l->account, relay_clock_now() - begin, begin);
    return good;
}

/* Handle the frames that are complete, unless they would take too long. */
static void link_parse(struct relay_link *l, uint64_t now)
{
    struct relay_frame f;
    size_t need;

    l->more = false;
    while (l->state == RELAY_LINK_GREETING || l->state == RELAY_LINK_UP) {
        enum ach_status r = relay_wire_frame(l->in.bytes + l->in.begin, relay_buffer_left(&l->in),
                                             l->state == RELAY_LINK_UP, &f, &need);

        if (r == ACH_EAGAIN) {
            relay_buffer_reserve(&l->in, need);
            return;
        }
        l->more = r == ACH_OK && f.kind == RELAY_OPEN && !may_open(l, relay_clock_now());
        if (l->more)
            return;
        if (r != ACH_OK || !link_frame(l, &f, now)) {
            relay_link_close(l, ach_errstr());
            return;
        }
        relay_buffer_consume(&l->in, need);
    }
}

static void link_read_some(struct relay_link *l)
{
    size_t room = l->state == RELAY_LINK_UP ? READ_ROOM : READ_ROOM_GREETING;
    unsigned char *to = relay_buffer_reserve(&l->in, room);
    uint64_t now;
    ssize_t n;

    if (!to) {
        relay_link_close(l, "no memory");
        return;
    }
    n = l->stream.ops->read(&l->stream, to, l->in.room - l->in.end);
    if (n < 0) {
        relay_link_close(l, link_error(l));
        return;
    }
    if (n == 0)
        return;
    now = relay_clock_now();
    l->in.end += (size_t)n;
    l->bytes_in += (uint64_t)n;
    l->dirty = true;
    l->paused = relay_account_read(l->account, (size_t)n, l->host->limits.rate, now);
    l->heard = l->paused ? l->paused : now;
    link_parse(l, now);
}

static bool link_pending(const struct relay_link *l)
{
    if (l->state == RELAY_LINK_DEAD || l->paused)
        return false;
    return l->more || (l->stream.ops->pending && l->stream.ops->pending(&l->stream));
}

/* What is left then is for the next turn, after other links. */
static void link_read(struct relay_link *l)
{
    unsigned n = 0;

    if (l->more)
        link_parse(l, relay_clock_now());
    else
        link_read_some(l);
    while (!l->more && link_pending(l) && ++n < READS_MAX)
        link_read_some(l);
}

static void link_ready(struct relay_watch *w, uint32_t events)
{
    struct relay_link *l = (struct relay_link *)w;

    if (l->state == RELAY_LINK_CONNECTING) {
        link_establish(l);
        l->dirty = true;
        return;
    }
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) || l->stream.wants & EPOLLOUT)
        link_read(l);
    l->dirty = true;
}

static void fill_ack(struct relay_link *l, uint64_t now)
{
    if (!l->ack_due || (now < l->ack_due && l->ack.consumed - l->ack_last < ACK_BYTES))
        return;
    l->ack.sent = relay_clock_now();
    relay_wire_ack(&l->out, &l->ack);
    l->ack_last = l->ack.consumed;
    l->ack_due = 0;
}

static void fill_answers(struct relay_link *l, uint64_t now)
{
    if (l->pong) {
        l->pong_times.sent = relay_clock_now();
        relay_wire_pong(&l->out, &l->pong_times);
        l->pong = false;
    }
    fill_ack(l, now);
    if (l->udp && l->udp->announce) {
        struct relay_udp_offer o = relay_udp_offer(l->udp);

        relay_wire_udp(&l->out, 0, &o);
        l->udp->announce = false;
    }
    if (!l->pinged || (l->traffic && now - l->pinged > PING_TRAFFIC_NS)) {
        l->pinged = relay_clock_now();
        l->traffic = false;
        relay_wire_ping(&l->out, l->pinged);
    }
}

/* The flow whose turn it is, by priority. *others: flows of lower priority wait. */
static struct relay_flow *link_next(const struct relay_link *l, bool *others)
{
    struct relay_flow *next = relay_queue_next(l->ready);
    unsigned i = next ? next->request.priority : 0;

    *others = false;
    while (i-- && !*others)
        *others = !TAILQ_EMPTY(&l->ready[i]);
    return next;
}

/* Messages of a flow are taken for small if the last one was. */
static enum relay_part flow_part(const struct relay_flow *f, bool others)
{
    if (others && !f->working && f->source.size <= RELAY_CHUNK_MIN)
        return RELAY_PART_URGENT;
    return f->working || f->request.all ? RELAY_PART_NEXT : RELAY_PART_FIRST;
}

/*
 * The flow has no message. Before its descriptor is renewed, send what there is; afterwards look
 * again. False: send first.
 */
static bool flow_empty(struct relay_link *l, struct relay_flow *f)
{
    bool first = relay_buffer_left(&l->out) > 0;

    if (f->source.renewed)
        return true;
    if (!first)
        relay_source_renew(&f->source);
    relay_queue_ready(f);
    return !first;
}

/* One frame of a message. False: nothing can be sent now. */
static bool fill_message(struct relay_link *l, size_t batch)
{
    bool others;
    struct relay_flow *f = link_next(l, &others);
    size_t before = relay_buffer_left(&l->out);
    uint64_t room, now = relay_clock_now();
    enum relay_part part;

    if (!f)
        relay_window_idle(&l->window);
    if (!f || before >= batch)
        return false;
    part = flow_part(f, others);
    room = relay_window_room(&l->window, part, now);
    if (!room) {
        l->paced = relay_window_due(&l->window, part, now);
        return false;
    }
    if (room > batch)
        room = batch;
    relay_queue_unready(f);
    switch (relay_sender_fill(f, &l->out, (size_t)room)) {
    case RELAY_SENT:
        relay_window_sent(&l->window, part, relay_buffer_left(&l->out) - before, now);
        l->traffic = true;
        relay_queue_ready(f);
        break;
    case RELAY_SENT_LATER:
        relay_queue_wake(f, f->not_before);
        break;
    case RELAY_SENT_LOST:
        relay_flow_lost(f);
        break;
    case RELAY_SENT_LARGE:
        relay_flow_end(f);
        break;
    case RELAY_SENT_NONE:
        return flow_empty(l, f);
    }
    return true;
}

static void link_fill(struct relay_link *l, uint64_t now)
{
    size_t batch = relay_window_chunk(&l->window);

    if (l->state != RELAY_LINK_UP)
        return;
    l->paced = 0;
    fill_answers(l, now);
    while (relay_buffer_left(&l->out) < BATCH && !TAILQ_EMPTY(&l->control))
        relay_flow_control(TAILQ_FIRST(&l->control), &l->out);
    while (fill_message(l, batch))
        ;
}

/* False: not everything could be written. */
static bool link_write(struct relay_link *l)
{
    ssize_t n =
        l->stream.ops->write(&l->stream, l->out.bytes + l->out.begin, relay_buffer_left(&l->out));

    if (n < 0) {
        relay_link_close(l, link_error(l));
        return false;
    }
    l->bytes_out += (uint64_t)n;
    relay_buffer_consume(&l->out, (size_t)n);
    return relay_buffer_left(&l->out) == 0;
}

static uint32_t link_events(const struct relay_link *l)
{
    bool writes = relay_buffer_left(&l->out) || l->stream.wants & EPOLLOUT;

    return (l->paused ? 0u : EPOLLIN) | (writes ? EPOLLOUT : 0u);
}

void relay_link_pump(struct relay_link *l, uint64_t now)
{
    if (l->state == RELAY_LINK_UP && l->udp)
        relay_udp_pump(l->udp, now);
    while (l->state == RELAY_LINK_GREETING || l->state == RELAY_LINK_UP) {
        if (relay_buffer_left(&l->out) == 0)
            link_fill(l, now);
        if (l->out.failed)
            relay_link_close(l, "no memory");
        if (relay_buffer_left(&l->out) == 0 || l->state == RELAY_LINK_DEAD)
            break;
        if (!link_write(l))
            break;
    }
    l->dirty = false;
    if (l->state != RELAY_LINK_DEAD && l->state != RELAY_LINK_CONNECTING)
        relay_loop_want(&l->host->loop, &l->watch, link_events(l));
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return b && b < a ? b : a;
}

/* When a link that is not up is given up. */
static uint64_t link_patience(const struct relay_link *l)
{
    bool shakes = l->state == RELAY_LINK_CONNECTING && l->stream.session;

    return l->began + (shakes ? RELAY_HANDSHAKE_NS : RELAY_HELLO_NS);
}

/* Frames are made when those before them are written: until then nothing of that is due. */
static uint64_t link_fill_due(const struct relay_link *l)
{
    uint64_t ping = l->heard + l->host->silence / 2, end = l->heard + l->host->silence;

    if (relay_buffer_left(&l->out))
        return end;
    return sooner(sooner(l->pinged > l->heard ? end : ping, l->ack_due), l->paced);
}

uint64_t relay_link_deadline(const struct relay_link *l)
{
    uint64_t at;

    if (l->state == RELAY_LINK_DEAD || l->dirty || link_pending(l))
        return 0;
    if (l->state != RELAY_LINK_UP)
        return sooner(link_patience(l), l->paused);
    at = sooner(sooner(link_fill_due(l), l->wake), l->paused);
    return sooner(at, l->udp ? relay_udp_deadline(l->udp) : 0);
}

static void tick_flows(struct relay_link *l, uint64_t now)
{
    unsigned i;

    if (!l->wake || now < l->wake)
        return;
    l->wake = 0;
    for (i = 0; i < l->n_flows; i++) {
        struct relay_flow *f = l->flows[i];

        if (!f || !f->wake)
            continue;
        if (now >= f->wake)
            relay_flow_tick(f);
        else
            relay_queue_wake(f, f->wake);
    }
}

static void link_resume(struct relay_link *l, uint64_t now)
{
    if (l->paused && now >= l->paused) {
        l->paused = 0;
        l->dirty = true;
    }
    if (link_pending(l))
        link_read(l);
}

static const char *link_slowness(const struct relay_link *l)
{
    if (l->state != RELAY_LINK_CONNECTING)
        return "it has not greeted as a relay";
    return l->stream.session && !l->asks ? "it did not finish the TLS handshake in time"
                                         : "it does not answer";
}

void relay_link_tick(struct relay_link *l, uint64_t now)
{
    if (l->state == RELAY_LINK_DEAD)
        return;
    link_resume(l, now);
    if (l->state != RELAY_LINK_UP) {
        if (now >= link_patience(l))
            relay_link_close(l, link_slowness(l));
        return;
    }
    tick_flows(l, now);
    if (l->udp)
        relay_udp_tick(l->udp, now);
    if (now >= l->heard + l->host->silence) {
        relay_link_close(l, "it is silent");
    } else if (now >= l->heard + l->host->silence / 2 && l->pinged <= l->heard) {
        l->pinged = 0;
        l->dirty = true;
    }
    if ((l->ack_due && now >= l->ack_due) || (l->paced && now >= l->paced))
        l->dirty = true;
}

void relay_link_check(struct relay_link *l)
{
    unsigned i;

    if (l->state != RELAY_LINK_GREETING && l->state != RELAY_LINK_UP)
        return;
    if (!relay_secure_check(&l->stream)) {
        relay_link_close(l, ach_errstr());
        return;
    }
    for (i = 0; i < l->n_flows; i++)
        if (l->flows[i])
            relay_flow_check(l->flows[i]);
}
