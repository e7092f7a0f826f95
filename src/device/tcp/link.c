/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link.c - a connection to one device of a server elsewhere
 *
 * It begins in the caller's thread, question by question. From then on one thread
 * serves all links of the process; it is there as long as there are any.
 */
#include "link.h"

#include <ach.h>
#include <ach/access.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../util/monotonic.h"
#include "../core/unhandled.h"
#include "connect.h"
#include "handshake.h"
#include "loop.h"
#include "map.h"
#include "output.h"
#include "wire.h"

/* Limit of unanswered requests for the data mode. */
#define MODES_MAX 64u

/* Limit of SYNCH messages about lost data in the application's queue. */
#define SYNCH_MAX 64u

/*
 * Requests for the data mode, in order, that take the place of ACH_REQ_FLUSH with these sequences,
 * or, if 0, of tcp_link_flush. Servers of Player do not know ACH_REQ_FLUSH. They handle messages in
 * order and answer a request for the data mode themselves, so that answer proves that all earlier
 * messages have reached their drivers. The data mode does not change.
 */
struct modes {
    uint32_t sequences[MODES_MAX];
    unsigned first, n;
};

struct ach_link {
    struct tcp_peer peer;
    struct tcp_stream stream;
    ach_queue_t *to;  /* the application's */
    ach_queue_t *out; /* what is to be sent */
    struct tcp_input input;
    struct tcp_output output;
    bool blocked;
    bool lost;          /* read by any thread */
    unsigned asked;     /* unanswered requests; changed by any thread */
    uint32_t missed;    /* messages dropped by the server, not yet reported to the application */
    bool ours;          /* the server knows ACH_REQ_FLUSH; read by any thread */
    struct modes modes; /* under the loop's lock */
    pthread_cond_t settled; /* with the loop's lock: the next has changed, or the link is lost */
    uint32_t flushed;       /* answers to requests of tcp_link_flush */
    uint32_t flushes;       /* those requests; for the thread that sends */
    ach_message_t *report;  /* the newest answer to ACH_REQ_FLUSH; under the loop's lock */
    struct dev_unhandled unhandled; /* as reported to the application */
    uint32_t robot;
    uint16_t interf, index;
    unsigned rights;  /* what the server lets us do, ... */
    char limits[512]; /* ... and why not more */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tcp_loop *loop;
static unsigned links;

/* In a child of fork the loop has no thread. Its memory stays: the thread may have locked it. */
static void abandon_loop(void)
{
    pthread_mutex_init(&lock, NULL);
    loop = NULL;
    links = 0;
}

static void notice_forks(void)
{
    pthread_atfork(NULL, NULL, abandon_loop);
}

static ach_status_t enter_loop(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ach_status_t status = ACH_OK;

    pthread_once(&once, notice_forks);
    pthread_mutex_lock(&lock);
    if (!loop) {
        status = tcp_loop_create(&loop);
        if (status == ACH_OK) {
            status = tcp_loop_start(loop, NULL, NULL);
            if (status != ACH_OK) {
                tcp_loop_destroy(loop);
                loop = NULL;
            }
        }
    }
    links += status == ACH_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

static void leave_loop(void)
{
    struct tcp_loop *last = NULL;

    pthread_mutex_lock(&lock);
    if (--links == 0) {
        last = loop;
        loop = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (last)
        tcp_loop_destroy(last);
}

static void push(ach_queue_t *to, const ach_header_t *h, const unsigned char *body, size_t size)
{
    ach_message_t *m;
    ach_status_t status =
        tcp_map_is(h) ? tcp_map_unpack(h, body, size, &m) : ach_message_wrap(h, body, size, &m);
    ach_header_t refused = *h;

    /* A caller may wait for this answer: turn a bad ACK into a NACK. */
    if (status != ACH_OK && h->type == ACH_MSG_ACK) {
        refused.type = ACH_MSG_NACK;
        status = ach_message_wrap(&refused, NULL, 0, &m);
    }
    if (status != ACH_OK)
        return;
    ach_queue_push(to, m);
    ach_message_unref(m);
}

static bool link_is_answer(const ach_header_t *h)
{
    return h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK;
}

/* Whether an answer was requested. A queue never drops answers, so others must not enter it. */
static bool expected(ach_link_t *l)
{
    unsigned asked = __atomic_load_n(&l->asked, __ATOMIC_ACQUIRE);

    while (asked && !__atomic_compare_exchange_n(&l->asked, &asked, asked - 1, false,
                                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return asked;
}

/* A queue never drops a SYNCH either: beyond SYNCH_MAX, losses are summed up in `missed`. */
static void take_overflow(ach_link_t *l, const ach_header_t *h, const unsigned char *body,
                          size_t size)
{
    uint32_t more = size == 4 ? tcp_wire_number(body) : 0;
    unsigned char sum[4];

    l->missed = more < UINT32_MAX - l->missed ? l->missed + more : UINT32_MAX;
    if (ach_queue_replies(l->to) >= SYNCH_MAX)
        return;
    tcp_wire_put(sum, l->missed);
    l->missed = 0;
    push(l->to, h, sum, sizeof(sum));
}

/* The sequence of tcp_link_flush is 0. An application that uses the same request sets its own. */
static bool is_report(const ach_header_t *h)
{
    return link_is_answer(h) && h->subtype == ACH_REQ_FLUSH && h->sequence == 0;
}

static void take_report(ach_link_t *l, const ach_header_t *h, const unsigned char *body,
                        size_t size)
{
    ach_message_unref(l->report);
    if (ach_message_wrap(h, body, size, &l->report) != ACH_OK)
        l->report = NULL;
}

static void link_settle(ach_link_t *l)
{
    l->flushed++;
    pthread_cond_broadcast(&l->settled);
}

static void take_mode(ach_link_t *l, const ach_header_t *h)
{
    struct modes *m = &l->modes;
    const ach_header_t flushed = {.address = {.interf = l->interf, .index = l->index},
                                  .type = h->type,
                                  .subtype = ACH_REQ_FLUSH,
                                  .sequence = m->sequences[m->first],
                                  .timestamp = h->timestamp};

    if (!m->n)
        return;
    m->first = (m->first + 1) % MODES_MAX;
    m->n--;
    if (flushed.sequence)
        push(l->to, &flushed, NULL, 0);
    else
        link_settle(l);
}

/* Forward data, expected answers and losses to the application; ignore the rest. */
static void take(void *context, const ach_header_t *h, const unsigned char *body, size_t size)
{
    bool player = h->address.interf == ACH_PLAYER_CODE;
    ach_link_t *l = context;

    if (player && link_is_answer(h) && h->subtype == ACH_PLAYER_REQ_DATAMODE) {
        take_mode(l, h);
    } else if (player && h->type == ACH_MSG_ACK && h->subtype == TCP_REQ_ROUTE) {
        __atomic_store_n(&l->ours, true, __ATOMIC_RELEASE);
    } else if (!player && is_report(h)) {
        take_report(l, h, body, size);
        link_settle(l);
    } else if (player && h->type == ACH_MSG_SYNCH && h->subtype == ACH_PLAYER_SYNCH_OVERFLOW) {
        take_overflow(l, h, body, size);
    } else if (!player && (h->type == ACH_MSG_DATA || (link_is_answer(h) && expected(l)))) {
        push(l->to, h, body, size);
    }
}

static void link_lose(ach_link_t *l)
{
    const ach_header_t h = {.address = {.interf = ACH_PLAYER_CODE}, .type = ACH_MSG_SYNCH};

    if (l->lost)
        return;
    __atomic_store_n(&l->lost, true, __ATOMIC_RELEASE);
    tcp_loop_hang_up(&l->peer);
    pthread_cond_broadcast(&l->settled);
    push(l->to, &h, NULL, 0);
}

static void take_all(ach_link_t *l)
{
    const unsigned char *body;
    ach_status_t status;
    ach_header_t h;
    size_t size;

    while ((status = tcp_input_next(&l->input, &h, &body, &size)) == ACH_OK)
        take(l, &h, body, size);
    if (status != ACH_EAGAIN || tcp_input_keep(&l->input) != ACH_OK)
        link_lose(l);
}

static void link_receive(ach_link_t *l)
{
    ssize_t n = tcp_stream_receive(&l->stream, l->peer.loop->buffer, TCP_LOOP_BUFFER);

    if (n > 0 && tcp_input_feed(&l->input, l->peer.loop->buffer, (size_t)n) == ACH_OK)
        take_all(l);
    else if (n >= 0 || (errno != EAGAIN && errno != EINTR))
        link_lose(l);
}

static bool link_fill(ach_link_t *l)
{
    while (!tcp_output_full(&l->output)) {
        ach_message_t *m = ach_queue_pop(l->out);
        ach_header_t h;

        if (!m)
            return false;
        h = *ach_message_header(m);
        h.address.robot = l->robot;
        if (h.address.interf != ACH_PLAYER_CODE)
            h.address = (ach_address_t){.robot = l->robot, .interf = l->interf, .index = l->index};
        tcp_output_add(&l->output, &h, m);
    }
    return true;
}

static void flush(ach_link_t *l)
{
    ach_status_t status = ACH_OK;
    bool more = true;

    while (more && status == ACH_OK && !l->blocked && !l->lost) {
        more = link_fill(l);
        status = tcp_output_send(&l->output, &l->stream);
    }
    l->blocked = l->blocked || status == ACH_EAGAIN;
    if (status == ACH_CLOSED)
        link_lose(l);
    tcp_loop_want(&l->peer, (uint32_t)EPOLLIN | (l->blocked ? (uint32_t)EPOLLOUT : 0u));
}

static void link_ready(struct tcp_peer *p, uint32_t events)
{
    ach_link_t *l = (ach_link_t *)p;

    if (events & EPOLLOUT)
        l->blocked = false;
    if (events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        link_receive(l);
    flush(l);
}

static void link_marked(struct tcp_peer *p)
{
    flush((ach_link_t *)p);
}

static void link_destroy(struct tcp_peer *p)
{
    ach_link_t *l = (ach_link_t *)p;

    tcp_input_finish(&l->input);
    tcp_output_finish(&l->output);
    tcp_stream_finish(&l->stream);
    ach_message_unref(l->report);
    pthread_cond_destroy(&l->settled);
    free(l);
}

static const struct tcp_peer_class class = {link_ready, link_marked, link_destroy};

static void link_wake(void *link)
{
    tcp_loop_mark(&((ach_link_t *)link)->peer);
}

/* Some servers send an ACK even if they refuse: check the access in it. */
static ach_status_t link_subscribe(struct tcp_handshake *c, const ach_place_t *place)
{
    const ach_player_device_req_t req = {.addr = {.interf = place->interf, .index = place->index},
                                         .access = ACH_PLAYER_OPEN_MODE};
    const unsigned char *answer;
    size_t size;
    ach_status_t status = tcp_handshake_request(c, ACH_PLAYER_REQ_DEV, &req, &answer, &size);

    if (status != ACH_OK)
        return status;
    if (size < 20 || tcp_wire_number(answer + 16) != ACH_PLAYER_OPEN_MODE)
        return ach_errstr_set(ACH_EACCES, "%s: the device cannot be set up", c->name);
    return ACH_OK;
}

static ach_status_t agree(struct tcp_handshake *c, const ach_place_t *place)
{
    const ach_player_datamode_req_t push_mode = {.mode = ACH_PLAYER_DATAMODE_PUSH};
    const unsigned char *answer;
    size_t size;
    ach_status_t status = tcp_handshake_introduce(c);

    if (status == ACH_OK)
        status = tcp_handshake_request(c, ACH_PLAYER_REQ_DATAMODE, &push_mode, &answer, &size);
    if (status == ACH_OK)
        status = tcp_handshake_tell_route(c);
    return status == ACH_OK ? link_subscribe(c, place) : status;
}

/* The call's connection, and what it has received already, become the link's. */
static ach_status_t take_over(ach_link_t *l, struct tcp_handshake *c)
{
    ach_status_t status = tcp_input_keep(&c->input);

    if (status != ACH_OK)
        return status;
    l->input = c->input;
    memset(&c->input, 0, sizeof(c->input));
    l->rights = c->rights;
    memcpy(l->limits, c->limits, sizeof(l->limits));
    tcp_loop_enter(loop);
    status = tcp_loop_add(loop, &l->peer, c->stream.fd, EPOLLIN);
    if (status == ACH_OK) {
        l->stream = c->stream;
        c->stream = (struct tcp_stream){.fd = -1};
        take_all(l);
    }
    tcp_loop_leave(loop);
    return status;
}

static ach_status_t open_link(ach_link_t *l, const ach_place_t *place, bool tls, double timeout)
{
    struct tcp_handshake c;
    ach_status_t status = tcp_handshake_begin(&c, place, tls, timeout);

    c.other = take;
    c.context = l;
    if (status == ACH_OK)
        status = agree(&c, place);
    if (status == ACH_OK)
        status = take_over(l, &c);
    tcp_handshake_end(&c);
    return status;
}

/* Timed waits use CLOCK_MONOTONIC. */
static void init_settled(ach_link_t *l)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->settled, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static ach_status_t link_connect(const ach_place_t *place, bool tls, ach_queue_t *queue,
                                 double timeout, ach_link_t **link)
{
    ach_link_t *l = calloc(1, sizeof(*l));
    ach_status_t status;

    if (!l)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a link");
    status = enter_loop();
    if (status != ACH_OK) {
        free(l);
        return status;
    }
    init_settled(l);
    l->peer.class = &class;
    l->peer.loop = loop;
    l->peer.fd = -1;
    l->to = queue;
    l->robot = place->robot ? place->robot : ACH_ROBOT_DEFAULT;
    l->interf = place->interf;
    l->index = place->index;
    status = ach_queue_create(0, 0, link_wake, l, &l->out);
    if (status == ACH_OK)
        status = open_link(l, place, tls, timeout);
    if (status != ACH_OK)
        tcp_link_disconnect(l);
    else
        *link = l;
    return status;
}

ach_status_t tcp_link_connect(const ach_place_t *place, ach_queue_t *queue, double timeout,
                              ach_link_t **link)
{
    return link_connect(place, false, queue, timeout, link);
}

ach_status_t tcp_link_connect_tls(const ach_place_t *place, ach_queue_t *queue, double timeout,
                                  ach_link_t **link)
{
    return link_connect(place, true, queue, timeout, link);
}

static ach_status_t enqueue(ach_link_t *link, const ach_message_t *message)
{
    if (__atomic_load_n(&link->lost, __ATOMIC_ACQUIRE))
        return ach_errstr_set(ACH_CLOSED, "the connection is lost");
    return ach_queue_push(link->out, message) == ACH_OK
               ? ACH_OK
               : ach_errstr_set(ACH_OVERFLOW, "the other side does not read");
}

static bool link_is_ours(const ach_link_t *l)
{
    return __atomic_load_n(&l->ours, __ATOMIC_ACQUIRE);
}

/* False: there is no room. */
static bool add_mode(ach_link_t *link, uint32_t sequence)
{
    struct tcp_loop *l = link->peer.loop;
    struct modes *m = &link->modes;
    bool room;

    pthread_mutex_lock(&l->lock);
    room = m->n < MODES_MAX;
    if (room)
        m->sequences[(m->first + m->n++) % MODES_MAX] = sequence;
    pthread_mutex_unlock(&l->lock);
    return room;
}

/* Take back what add_mode added last: it was not sent. */
static void remove_mode(ach_link_t *link)
{
    struct tcp_loop *l = link->peer.loop;

    pthread_mutex_lock(&l->lock);
    link->modes.n -= link->modes.n > 0;
    pthread_mutex_unlock(&l->lock);
}

static ach_status_t ask_mode(ach_link_t *link, uint32_t sequence)
{
    const ach_player_datamode_req_t push_mode = {.mode = ACH_PLAYER_DATAMODE_PUSH};
    const ach_header_t h = {.address = {.interf = ACH_PLAYER_CODE},
                            .type = ACH_MSG_REQ,
                            .subtype = ACH_PLAYER_REQ_DATAMODE};
    ach_message_t *m;
    ach_status_t status = ach_message_create(&h, &push_mode, &m);

    if (status != ACH_OK)
        return status;
    if (!add_mode(link, sequence)) {
        ach_message_unref(m);
        return ach_errstr_set(ACH_OVERFLOW, "the other side does not read");
    }
    status = enqueue(link, m);
    if (status != ACH_OK)
        remove_mode(link);
    ach_message_unref(m);
    return status;
}

ach_status_t tcp_link_send(ach_link_t *link, const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    unsigned request = h->type == ACH_MSG_REQ;

    if (!(link->rights & tcp_wire_right(h)))
        return ach_errstr_set(ACH_EACCES, "%s", link->limits);
    if (request && h->subtype == ACH_REQ_FLUSH && !link_is_ours(link))
        return ask_mode(link, h->sequence);
    __atomic_fetch_add(&link->asked, request, __ATOMIC_ACQ_REL);
    return enqueue(link, message);
}

static ach_status_t ask_flush(ach_link_t *link)
{
    const ach_header_t h = {
        .address = {.interf = link->interf}, .type = ACH_MSG_REQ, .subtype = ACH_REQ_FLUSH};
    ach_message_t *m;
    ach_status_t status;

    if (!link_is_ours(link)) {
        status = ask_mode(link, 0);
    } else if ((status = ach_message_create(&h, NULL, &m)) == ACH_OK) {
        status = enqueue(link, m);
        ach_message_unref(m);
    }
    link->flushes += status == ACH_OK;
    return status;
}

/* The result of a flush that the server has answered. Under the loop's lock. */
static ach_status_t link_report(ach_link_t *l)
{
    return l->report ? dev_unhandled_read(l->report, &l->unhandled) : ACH_OK;
}

/* Answers are counted, because one may come after its request timed out. */
ach_status_t tcp_link_flush(ach_link_t *link, double seconds)
{
    struct timespec until = tcp_connect_until(monotonic_seconds() + seconds);
    struct tcp_loop *l = link->peer.loop;
    ach_status_t status = ask_flush(link);
    int late = 0;

    if (status != ACH_OK)
        return status;
    pthread_mutex_lock(&l->lock);
    while (!link->lost && (int32_t)(link->flushed - link->flushes) < 0 && !late)
        late = pthread_cond_timedwait(&link->settled, &l->lock, &until);
    if ((int32_t)(link->flushed - link->flushes) >= 0)
        status = link_report(link);
    else if (link->lost)
        status =
            ach_errstr_set(ACH_CLOSED, "the connection was lost before all commands were handled");
    else
        status = dev_unhandled_late(seconds);
    pthread_mutex_unlock(&l->lock);
    return status;
}

unsigned tcp_link_rights(const ach_link_t *link)
{
    return link->rights;
}

/* After tcp_loop_remove nobody pops from `out`, and the loop may free the link. */
void tcp_link_disconnect(ach_link_t *link)
{
    ach_queue_t *out = link->out;

    tcp_loop_enter(loop);
    if (!link->lost)
        tcp_stream_shutdown(&link->stream);
    tcp_loop_remove(&link->peer);
    tcp_loop_leave(loop);
    ach_queue_close(out);
    leave_loop();
}
