/* SPDX-License-Identifier: BSD-3-Clause */
#include "udp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "log.h"
#include "queue.h"
#include "receiver.h"
#include "sender.h"
#include "udp_socket.h"

/* Datagrams to read before other descriptors have their turn. */
#define READS_MAX 64

/* Acknowledge so many bytes at once, others after this time. */
#define SEEN_BYTES 2048u
#define SEEN_DELAY_NS 5000000u

/* Datagrams that are not acknowledged for so long, or for four round trips, are lost. */
#define TIMEOUT_NS 200000000u
#define TIMEOUT_FIRST_NS 1000000000u

/* The window is halved if more than this part of a round is lost. */
#define LOSS_PART 8u

/* A group may send so much at once. */
#define BURST_NS 10000000u

static void udp_ready(struct relay_watch *w, uint32_t events);

static struct relay_udp *udp_create(struct relay_link *l, int fd)
{
    struct relay_udp *u = calloc(1, sizeof(*u));
    unsigned i;

    if (!u || !relay_loop_add(&l->host->loop, &u->watch, fd, EPOLLIN)) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for datagrams");
        free(u);
        close(fd);
        return NULL;
    }
    u->watch.ready = udp_ready;
    u->link = l;
    for (i = 0; i < RELAY_PRIORITIES; i++)
        TAILQ_INIT(&u->ready[i]);
    return u;
}

static void udp_close(struct relay_udp *u)
{
    int fd = u->watch.fd;

    relay_loop_remove(&u->link->host->loop, &u->watch);
    if (fd)
        close(fd);
    relay_opener_finish(&u->in);
}

void relay_udp_destroy(struct relay_udp *u)
{
    if (!u)
        return;
    udp_close(u);
    relay_sealer_finish(&u->out);
    relay_buffer_finish(&u->datagram);
    free(u);
}

static bool connection_sealed(const struct relay_link *l)
{
    return l->stream.session != NULL;
}

static struct relay_udp *udp_create_sender(struct relay_link *l, int fd, bool seals, uint64_t now)
{
    struct relay_udp *u = udp_create(l, fd);
    bool must = connection_sealed(l);

    if (!u)
        return NULL;
    relay_window_init(&u->window, l->host->window_max, now);
    if (relay_sealer_init(&u->out, seals || must ? tls_load() : NULL, now) && (u->out.tls || !must))
        return u;
    relay_udp_destroy(u);
    return NULL;
}

bool relay_udp_start(struct relay_link *l, bool seals, uint64_t now)
{
    uint16_t port;
    int fd;

    if (l->udp)
        return true;
    fd = relay_udp_socket(l->stream.fd, &port);
    if (fd >= 0)
        l->udp = udp_create_sender(l, fd, seals, now);
    if (!l->udp)
        return false;
    l->udp->port = port;
    l->udp->announce = true;
    l->dirty = true;
    return true;
}

struct relay_udp *relay_udp_create_group(struct relay_link *l, int fd, uint64_t rate, uint64_t now)
{
    struct relay_udp *u = udp_create_sender(l, fd, true, now);

    if (u) {
        u->rate = rate;
        u->connected = true;
    }
    return u;
}

static bool udp_take_key(struct relay_udp *u, const struct relay_udp_offer *o, uint64_t now)
{
    const struct tls_library *tls = o->key.sealed ? tls_load() : NULL;

    if (!o->key.sealed && connection_sealed(u->link)) {
        ach_errstr_set(ACH_EACCES, "datagrams that are not sealed, on a connection that is");
        return false;
    }
    return relay_opener_key(&u->in, tls, o, now);
}

/* A peer that cannot seal cannot open either. */
bool relay_udp_offered(struct relay_link *l, const struct relay_udp_offer *o, uint64_t now)
{
    struct relay_udp *u;

    if (!relay_udp_start(l, o->key.sealed, now))
        return false;
    u = l->udp;
    if (!udp_take_key(u, o, now)) {
        relay_opener_finish(&u->in);
        u->seen_due = 0;
        return u->connected = false;
    }
    if (!u->connected && !relay_udp_socket_connect(u->watch.fd, l->stream.fd, o->port))
        return false;
    return u->connected = true;
}

/* A group that this side has joined before only gets another key. */
static bool udp_join(struct relay_flow *f, const struct relay_udp_offer *o)
{
    const struct relay_origin *e;
    int fd;

    if (f->multicast && f->multicast->watch.fd && f->multicast->in.stream == o->stream)
        return true;
    fd = relay_udp_socket_join(f->link->stream.fd, o->group, o->port);
    if (fd < 0)
        return false;
    relay_udp_unsubscribe(f);
    if (!f->multicast)
        f->multicast = udp_create(f->link, fd);
    else if (!relay_loop_add(&f->link->host->loop, &f->multicast->watch, fd, EPOLLIN))
        close(fd);
    if (!f->multicast || !f->multicast->watch.fd)
        return false;
    f->multicast->flow = f;
    relay_fragments_reset(&f->incoming);
    e = relay_origins_find(f->sink->origins, f->peer_epoch);
    f->count = !e ? 0 : e->mark.seq > e->mark.carried ? e->mark.seq : e->mark.carried;
    return true;
}

bool relay_udp_subscribed(struct relay_flow *f, const struct relay_udp_offer *o, uint64_t now)
{
    return udp_join(f, o) && udp_take_key(f->multicast, o, now);
}

void relay_udp_unsubscribe(struct relay_flow *f)
{
    if (f->multicast)
        udp_close(f->multicast);
}

struct relay_udp_offer relay_udp_offer(const struct relay_udp *u)
{
    return (struct relay_udp_offer){
        .stream = u->out.stream, .port = u->port, .key = *relay_sealer_newest(&u->out)};
}

/* Seal and send the datagram. False: the socket is full. An error counts as a loss. */
static bool udp_send(struct relay_udp *u, uint64_t now)
{
    struct relay_buffer *b = &u->datagram;

    if (!relay_sealer_seal(&u->out, b, now))
        return true;
    if (send(u->watch.fd, b->bytes, relay_buffer_left(b), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
        (errno == EAGAIN || errno == ENOBUFS)) {
        relay_loop_want(&u->link->host->loop, &u->watch, EPOLLIN | EPOLLOUT);
        return false;
    }
    u->sent++;
    u->link->bytes_out += relay_buffer_left(b);
    return true;
}

static bool udp_send_part(struct relay_udp *u, struct relay_flow *f, struct relay_fragment *p,
                          uint64_t now)
{
    size_t size = relay_sealer_overhead(&u->out) + RELAY_FRAGMENT_HEADER + p->data.size;

    p->position = u->window.sent + size;
    relay_sealer_begin(&u->datagram);
    relay_wire_fragment(&u->datagram, f->number, f->generation, p);
    if (!udp_send(u, now))
        return false;
    if (u->window.sent == u->window.acked)
        u->progress = now;
    if (u->rate) {
        u->window.acked = u->window.sent += size;
        u->free += size * 1000000000u / u->rate;
    } else {
        relay_window_sent(&u->window, p->offset ? RELAY_PART_NEXT : RELAY_PART_FIRST, size, now);
    }
    u->link->traffic = true;
    relay_sender_fragmented(f, p);
    return true;
}

static bool udp_may_send(struct relay_udp *u, const struct relay_flow *f, uint64_t now)
{
    enum relay_part part = f->working ? RELAY_PART_NEXT : RELAY_PART_FIRST;

    if (!u->connected || (u->watch.events & EPOLLOUT))
        return false;
    if (u->rate) {
        if (u->free + BURST_NS < now)
            u->free = now - BURST_NS;
        return u->free <= now;
    }
    if (relay_window_room(&u->window, part, now))
        return true;
    u->free = relay_window_due(&u->window, part, now);
    return false;
}

/* The link takes care of it. */
static void udp_trouble(struct relay_flow *f, enum relay_trouble trouble, uint64_t now)
{
    f->trouble = trouble;
    relay_queue_wake(f, now);
}

/* One part of a message. False: nothing can be sent now. */
static bool udp_fill(struct relay_udp *u, struct relay_flow *f, uint64_t now)
{
    size_t unit = RELAY_DATAGRAM_MAX - relay_sealer_overhead(&u->out) - RELAY_FRAGMENT_HEADER;
    struct relay_fragment p;
    bool sent = true;

    relay_queue_unready(f);
    switch (relay_sender_fragment(f, &p, unit)) {
    case RELAY_SENT:
        sent = udp_send_part(u, f, &p, now);
        relay_queue_ready(f);
        break;
    case RELAY_SENT_LATER:
        relay_queue_wake(f, f->not_before);
        break;
    case RELAY_SENT_LOST:
        udp_trouble(f, RELAY_TROUBLE_LOST, now);
        break;
    case RELAY_SENT_LARGE:
        udp_trouble(f, RELAY_TROUBLE_LARGE, now);
        break;
    case RELAY_SENT_NONE:
        if (f->source.renewed)
            break;
        relay_source_renew(&f->source);
        relay_queue_ready(f);
        break;
    }
    return sent;
}

static void udp_acknowledge(struct relay_udp *u, uint64_t now)
{
    struct relay_seen *s = &u->seen;

    if (!u->seen_due || !u->connected ||
        (now < u->seen_due && s->ack.consumed - u->seen_last < SEEN_BYTES))
        return;
    s->ack.sent = relay_clock_now();
    relay_sealer_begin(&u->datagram);
    relay_wire_seen(&u->datagram, s);
    udp_send(u, now);
    u->seen_last = s->ack.consumed;
    u->seen_due = 0;
}

void relay_udp_pump(struct relay_udp *u, uint64_t now)
{
    struct relay_flow *f;

    udp_acknowledge(u, now);
    u->free = u->rate ? u->free : 0;
    while ((f = relay_queue_next(u->ready)) && udp_may_send(u, f, now) && udp_fill(u, f, now))
        ;
    if (!f)
        relay_window_idle(&u->window);
}

static uint64_t udp_timeout(const struct relay_udp *u)
{
    uint64_t four = 4 * u->window.last;

    if (!four)
        return u->progress + TIMEOUT_FIRST_NS;
    return u->progress + (four > TIMEOUT_NS ? four : TIMEOUT_NS);
}

uint64_t relay_udp_deadline(const struct relay_udp *u)
{
    uint64_t at = UINT64_MAX;

    if (u->seen_due)
        at = u->seen_due;
    if (u->window.sent != u->window.acked && udp_timeout(u) < at)
        at = udp_timeout(u);
    if (u->free && u->free < at && relay_queue_next(u->ready) && !(u->watch.events & EPOLLOUT))
        at = u->free;
    if (u->out.made + u->link->host->key_life < at && !u->out.next.id)
        at = u->out.made + u->link->host->key_life;
    return at;
}

/* Everything that was not acknowledged in time is lost. */
static void udp_give_up(struct relay_udp *u)
{
    if (!u->window.acked)
        relay_log_note("%s: datagrams do not arrive, or no answers to them: a firewall?",
                       u->link->peer);
    relay_window_ack(&u->window, &(struct relay_ack){.consumed = u->window.sent}, 0);
    relay_window_lost(&u->window);
    u->loss_turn = u->window.sent;
    u->link->dirty = true;
}

void relay_udp_tick(struct relay_udp *u, uint64_t now)
{
    if ((u->seen_due && now >= u->seen_due) || (u->free && now >= u->free))
        u->link->dirty = true;
    if (u->window.sent != u->window.acked && now >= udp_timeout(u))
        udp_give_up(u);
    if (relay_sealer_due(&u->out, u->link->host->key_life, now) &&
        relay_sealer_rotate(&u->out, now)) {
        u->announce = true;
        u->link->dirty = true;
    }
}

/* A round has ended. */
static void udp_count_loss(struct relay_udp *u, const struct relay_seen *s)
{
    uint64_t lost = s->ack.consumed - s->came;

    if (s->ack.consumed < u->loss_turn)
        return;
    if (lost > u->loss_bytes && (lost - u->loss_bytes) * LOSS_PART > s->ack.consumed - u->loss_from)
        relay_window_lost(&u->window);
    u->loss_from = s->ack.consumed;
    u->loss_bytes = lost;
    u->loss_turn = u->window.sent;
}

static void udp_seen(struct relay_udp *u, const struct relay_seen *s, uint64_t now)
{
    const struct relay_ack *a = &s->ack;
    uint64_t round_trip;

    if (a->consumed > u->window.sent)
        return;
    round_trip = relay_clock_sample(&u->link->clock, a->echo, a->received, a->sent, now);
    if (a->consumed < u->window.acked) { /* given up too early, or overtaken */
        u->window.last = round_trip ? round_trip : u->window.last;
        return;
    }
    relay_window_ack(&u->window, a, round_trip);
    u->progress = now;
    udp_count_loss(u, s);
}

/* A group numbers its messages as the channel does; other flows by what they have sent. */
static bool udp_count(struct relay_flow *f, struct relay_data *d, bool group)
{
    uint64_t count = group ? d->seq : d->gap;

    if (count <= f->count)
        return false;
    d->gap = group && !f->count ? 0 : count - f->count - 1;
    f->count = count;
    return true;
}

/* The memory of a message in several fragments is charged until it is complete or given up. */
static void udp_fragment(struct relay_flow *f, const struct relay_fragment *p, bool group,
                         uint64_t now)
{
    struct relay_data d = p->data;
    bool fits = d.total <= f->sink->capacity && d.total <= f->link->host->limits.message;
    enum relay_put r = RELAY_PUT_DONE;

    if (relay_receiver_lost(f)) {
        udp_trouble(f, RELAY_TROUBLE_LOST, now);
        return;
    }
    if (fits && d.size < d.total &&
        !relay_flow_charge(f, d.total > f->incoming.room ? d.total : f->incoming.room))
        return;
    if (relay_fragments_add(&f->incoming, p, fits, &d.bytes) != RELAY_FRAGMENTS_WHOLE)
        return;
    d.size = d.total;
    if (udp_count(f, &d, group))
        r = relay_receiver_data(f, &d);
    relay_fragments_free(&f->incoming);
    if (r == RELAY_PUT_LOST || r == RELAY_PUT_BUSY)
        udp_trouble(f, r == RELAY_PUT_LOST ? RELAY_TROUBLE_LOST : RELAY_TROUBLE_BUSY, now);
}

static void udp_note(struct relay_udp *u, const struct relay_fragment *p, size_t size, uint64_t now)
{
    struct relay_seen *s = &u->seen;

    u->link->traffic = true;
    s->came += size;
    if (!u->seen_due)
        u->seen_due = now + SEEN_DELAY_NS;
    if (p->position > s->ack.consumed) {
        s->ack.consumed = p->position;
        s->ack.echo = p->data.sent;
        s->ack.received = now;
    }
    if (s->came > s->ack.consumed)
        s->came = s->ack.consumed;
}

/* A part of an earlier generation or of a replaced channel may come late. */
static bool udp_expects(const struct relay_udp *u, const struct relay_flow *f,
                        const struct relay_frame *frame, const struct relay_fragment *p)
{
    return f && !f->sends && f->request.udp && f->state == RELAY_FLOW_OPEN && !f->trouble &&
           p->epoch == f->peer_epoch && (u->flow || frame->flags == f->generation);
}

static bool udp_frame(struct relay_udp *u, const struct relay_frame *frame, size_t size,
                      uint64_t now)
{
    struct relay_link *l = u->link;
    struct relay_flow *f = u->flow;
    struct relay_fragment p;
    struct relay_seen s;

    if (!f && relay_wire_read_seen(frame, &s)) {
        udp_seen(u, &s, now);
        return true;
    }
    if (!relay_wire_read_fragment(frame, &p))
        return false;
    if (!f) {
        f = frame->flow < l->n_flows ? l->flows[frame->flow] : NULL;
        udp_note(u, &p, size, now);
    }
    if (udp_expects(u, f, frame, &p))
        udp_fragment(f, &p, u->flow != NULL, now);
    return true;
}

/* Datagrams beyond the peer's rate are dropped, not paid: there is nothing to wait for. */
static bool udp_affords(const struct relay_link *l, size_t n, uint64_t now)
{
    if (!l->account)
        return true;
    if (l->account->paid > now)
        return false;
    relay_account_read(l->account, n, l->host->limits.rate, now);
    return true;
}

static void udp_read(struct relay_udp *u)
{
    unsigned char bytes[RELAY_DATAGRAM_MAX + 1];
    struct relay_link *l = u->link;
    struct relay_frame f;
    unsigned i;

    for (i = 0; i < READS_MAX && u->watch.fd; i++) {
        ssize_t n = recv(u->watch.fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        uint64_t now = relay_clock_now();

        if (n < 0)
            return;
        if ((size_t)n <= RELAY_DATAGRAM_MAX &&
            relay_opener_open(&u->in, bytes, (size_t)n, &f, now) &&
            udp_affords(l, (size_t)n, now) && udp_frame(u, &f, (size_t)n, now)) {
            u->received++;
            l->bytes_in += (uint64_t)n;
        } else {
            u->refused++;
        }
    }
}

static void udp_ready(struct relay_watch *w, uint32_t events)
{
    struct relay_udp *u = (struct relay_udp *)w;

    if (events & EPOLLOUT)
        relay_loop_want(&u->link->host->loop, w, EPOLLIN);
    if (events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        udp_read(u);
    u->link->dirty = true;
}
