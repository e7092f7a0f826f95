/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <ach.h>
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "evict.h"
#include "memory.h"
#include "monotonic.h"
#include "wire.h"

/*
 * To so few clients, the thread that publishes so many bytes sends them itself: to wake the loop's
 * thread takes as long as to wake the client. Further messages of a burst are the loop's.
 */
#define PUSH_CLIENTS 4
#define PUSH_BYTES 4096u
#define PUSH_PAUSE_NS 200000

/* A machine that vanished is noticed after about a minute and a half. */
#define KEEP_IDLE 60
#define KEEP_INTERVAL 10
#define KEEP_COUNT 3

/*
 * Bytes that the system holds for a client that does not read. One that does has all of send_buffer
 * under way.
 */
#define UNSENT_MAX 65536

/* Limit of receive calls at the end of a session: a client may send for ever. */
#define REST_ROUNDS 64

/* Messages handled per client in one iteration of the loop. */
#define TURN_MESSAGES 4u

/* Limit of answers that wait for a stranger to read them. */
#define STRANGER_REQUESTS 8u

static void session_set(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof(value));
}

static void session_configure(int fd, const struct tcp_options *o)
{
    session_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    session_set(fd, SOL_SOCKET, SO_SNDBUF, o->send_buffer);
    session_set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_MAX);
    session_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    session_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE);
    session_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL);
    session_set(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT);
}

/* The protocol wants the address in network byte order, read as a little-endian number. */
static uint32_t own_host(int fd)
{
    struct sockaddr_storage a = {0};
    socklen_t size = sizeof(a);
    const unsigned char *b = (const unsigned char *)&((struct sockaddr_in *)&a)->sin_addr;

    if (getsockname(fd, (struct sockaddr *)&a, &size) != 0 || a.ss_family != AF_INET)
        return 0;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void write_name(int fd, char *name, size_t size)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof(a);
    char text[INET6_ADDRSTRLEN] = "?";
    uint16_t port = 0;

    memset(&a, 0, sizeof(a));
    getpeername(fd, (struct sockaddr *)&a, &n);
    if (a.ss_family == AF_INET) {
        inet_ntop(AF_INET, &((struct sockaddr_in *)&a)->sin_addr, text, sizeof(text));
        port = ((struct sockaddr_in *)&a)->sin_port;
    } else if (a.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&a)->sin6_addr, text, sizeof(text));
        port = ((struct sockaddr_in6 *)&a)->sin6_port;
    }
    snprintf(name, size, "%s:%u", text, ntohs(port));
}

static void greet(const struct tcp_session *s)
{
    char text[TCP_GREETING_SIZE] = TCP_GREETING TCP_VERSION;

    if (tcp_stream_send(&s->stream, &(struct iovec){text, sizeof(text)}, 1) < 0)
        return; /* it is gone; the loop will hear of it */
}

static void enlist(struct tcp_session *s)
{
    s->next = s->server->sessions;
    s->at = &s->server->sessions;
    if (s->next)
        s->next->at = &s->next;
    *s->at = s;
    s->server->clients++;
    s->stranger_at = s->server->last_stranger;
    *s->stranger_at = s;
    s->server->last_stranger = &s->next_stranger;
}

static void session_destroy(struct tcp_peer *p)
{
    struct tcp_session *s = (struct tcp_session *)p;

    tcp_input_finish(&s->input);
    tcp_output_finish(&s->output);
    tcp_stream_finish(&s->stream);
    ach_message_unref(s->urgent);
    free(s->route);
    free(s);
}

/*
 * A little data is to be sent, and nothing is in its way. While the session does not receive, its
 * next answer or room in its socket lets it go on, which is the loop's to do.
 */
static bool may_push(const struct tcp_session *s, int64_t now)
{
    ach_queue_usage_t u = {.size = sizeof(u)};

    if (s->server->clients > PUSH_CLIENTS || now - s->pushed < PUSH_PAUSE_NS || !s->trusted ||
        s->shaking || s->closing || s->pull || s->urgent || s->map || s->blocked ||
        s->output.count || !(s->peer.events & EPOLLIN))
        return false;
    ach_queue_usage(s->queue, &u);
    return !u.answers && u.bytes <= PUSH_BYTES;
}

/* False: it is the loop's to do. Waits for nobody, because the caller may hold locks. */
static bool session_push(struct tcp_session *s)
{
    int64_t now = monotonic_ns();
    bool sent = false;

    if (!tcp_loop_try(s->peer.loop))
        return false;
    if (may_push(s, now)) {
        s->pushed = now;
        sent = tcp_session_push(s);
    }
    tcp_loop_leave(s->peer.loop);
    return sent;
}

/* In the thread that has put a message into the empty queue. */
static void session_wake(void *session)
{
    struct tcp_session *s = session;

    if (!session_push(s))
        tcp_loop_mark(&s->peer);
}

/* Whether there is room for one more answer. */
static bool may_ask(const struct tcp_session *s)
{
    size_t most = s->trusted ? (size_t)s->server->options.requests_max : STRANGER_REQUESTS;

    return (size_t)s->asking + ach_queue_replies(s->queue) < most;
}

/* Whether the next message may be handled: attempts to send the secret are rate-limited. */
static bool may_guess(struct tcp_session *s)
{
    ach_header_t h;
    uint32_t size;

    s->throttled = !s->trusted && tcp_input_peek(&s->input, &h, &size) && h.type == ACH_MSG_REQ &&
                   h.address.interf == ACH_PLAYER_CODE && h.subtype == ACH_PLAYER_REQ_AUTH &&
                   !tcp_account_may_guess(s->account);
    return !s->throttled;
}

/* Whether to handle the next message. After `ended`, limits do not apply: now or never. */
static bool may_take(struct tcp_session *s)
{
    if (s->closing || s->ended)
        return !s->closing;
    return !s->urgent && may_ask(s) && may_guess(s) && tcp_memory_may_take(s);
}

static void refuse(struct tcp_session *s)
{
    ach_robot_log(s->server->robot, ACH_LOG_WARNING, "client %s is disconnected: %s", s->name,
                  ach_errstr());
    tcp_session_close(s, "it does not speak the protocol");
}

/* Handle at most @most messages. True: more may wait, for room or for the next iteration. */
static bool take_some(struct tcp_session *s, unsigned most)
{
    ach_status_t status = ACH_OK;
    const unsigned char *body;
    ach_header_t h;
    size_t size;

    while (most-- && may_take(s)) {
        status = tcp_input_next(&s->input, &h, &body, &size);
        if (status != ACH_OK)
            break;
        s->taken += ACH_FRAME_HEADER + size;
        if (s->ended) {
            ach_message_unref(s->urgent);
            s->urgent = NULL;
        }
        if (!s->ended || h.type != ACH_MSG_REQ || may_ask(s))
            tcp_session_take(s, &h, body, size);
    }
    if (s->closing)
        return false;
    if (status != ACH_OK && status != ACH_EAGAIN) {
        refuse(s);
        return false;
    }
    return status == ACH_OK;
}

/* Receive into the input. Returns the number of bytes; 0: no more will come; -1: none now. */
static ssize_t session_receive(struct tcp_session *s)
{
    size_t room = s->ended ? TCP_LOOP_BUFFER : tcp_memory_may_receive(s);
    ssize_t n;

    if (!room || s->shaking)
        return -1;
    n = tcp_stream_receive(&s->stream, s->peer.loop->buffer, room);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? -1 : 0;
    if (n > 0 && tcp_input_feed(&s->input, s->peer.loop->buffer, (size_t)n) != ACH_OK) {
        tcp_session_close(s, "no memory for the data that it sends");
        return 0;
    }
    return n;
}

/*
 * A part of what is in the socket by now, and was held back before; false: that was all. Answers
 * are of no use any more.
 */
static bool take_rest(struct tcp_session *s)
{
    s->ended = true;
    take_some(s, UINT_MAX);
    return !s->closing && tcp_input_keep(&s->input) == ACH_OK && s->rounds++ < REST_ROUNDS &&
           session_receive(s) > 0;
}

/* The connection is gone: take what the client sent before, and close. */
static void session_lose(struct tcp_session *s, const char *why)
{
    while (!s->closing && take_rest(s))
        ;
    tcp_session_close(s, why);
}

/* Whether TLS holds bytes that epoll does not report, and the session wants to receive. */
static bool may_read_pending(const struct tcp_session *s)
{
    return s->peer.events & EPOLLIN && tcp_stream_pending(&s->stream);
}

/* Messages in, answers out. What is left then is for the next turn, after the other clients. */
static void work(struct tcp_session *s)
{
    bool held;

    if (s->shaking)
        return;
    held = take_some(s, TURN_MESSAGES);
    if (s->closing)
        return;
    if (!tcp_session_send(s)) {
        session_lose(s, ach_errstr());
        return;
    }
    if (held && may_take(s))
        tcp_loop_mark(&s->peer);
    if (tcp_input_keep(&s->input) != ACH_OK) {
        tcp_session_close(s, "no memory for the data that it sends");
        return;
    }
    tcp_loop_want(&s->peer, (held || s->starved || s->ended ? 0u : (uint32_t)EPOLLIN) |
                                (s->blocked ? (uint32_t)EPOLLOUT : 0u));
    if (may_read_pending(s))
        tcp_loop_mark(&s->peer);
    tcp_memory_watch(s);
}

void tcp_session_end(struct tcp_session *s)
{
    while (take_rest(s))
        ;
    if (s->closing)
        return;
    tcp_subscription_close_all(s);
    work(s);
}

/* In pull mode data waits for a client to ask, which it cannot any more. */
bool tcp_session_done(const struct tcp_session *s)
{
    return s->output.count == 0 && !s->map && s->asking <= 0 && ach_queue_replies(s->queue) == 0 &&
           (s->pull || ach_queue_length(s->queue) == 0);
}

/* Why a connection ended. */
static const char *reason(int fd)
{
    socklen_t size = sizeof(int);
    int error = 0;

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || !error)
        return "it closed the connection";
    return strerror(error);
}

/* The client may do what it may; the greeting tells it so. */
static void session_begin(struct tcp_session *s)
{
    s->trusted = !*s->server->options.secret;
    if (s->trusted)
        s->input.limit = (size_t)s->server->options.message_max;
    greet(s);
    ach_robot_log(s->server->robot, ACH_LOG_INFO, "client %s", s->name);
}

static void turn_away(struct tcp_session *s, const char *reason)
{
    char text[TCP_WHY];

    snprintf(text, sizeof(text), "%s: %s", s->name, reason);
    tcp_server_turn_away(s->server, text);
    tcp_session_leave(s);
}

static void session_shake(struct tcp_session *s)
{
    const struct tls_library *tls = s->stream.tls;
    ach_status_t status = tls->session_handshake(s->stream.session);
    size_t n = strlen(s->name);

    if (status == ACH_EAGAIN) {
        tcp_loop_want(&s->peer,
                      tls->session_wants(s->stream.session) == POLLOUT ? EPOLLOUT : EPOLLIN);
    } else if (status != ACH_OK) {
        turn_away(s, ach_errstr());
    } else {
        s->shaking = false;
        s->checked = tcp_loop_seconds();
        snprintf(s->name + n, sizeof(s->name) - n, " as %s", tls->session_peer(s->stream.session));
        session_begin(s);
        if (s->trusted)
            tcp_session_know(s);
        work(s);
    }
}

static void session_ready(struct tcp_peer *p, uint32_t events)
{
    struct tcp_session *s = (struct tcp_session *)p;

    if (s->shaking) {
        session_shake(s);
        return;
    }
    /* Again in the next turn. Others are served meanwhile, and receive into the same buffer. */
    if (events & (EPOLLERR | EPOLLHUP)) {
        if (!take_rest(s) || tcp_input_keep(&s->input) != ACH_OK)
            tcp_session_close(s, reason(p->fd));
        return;
    }
    if (events & EPOLLOUT)
        s->blocked = false;
    if (events & EPOLLIN && session_receive(s) == 0) {
        session_lose(s, reason(p->fd));
        return;
    }
    work(s);
}

static void session_marked(struct tcp_peer *p)
{
    struct tcp_session *s = (struct tcp_session *)p;

    if (may_read_pending(s) && session_receive(s) == 0)
        session_lose(s, reason(p->fd));
    else
        work(s);
}

static const struct tcp_peer_class class = {session_ready, session_marked, session_destroy};

/* False: out of descriptors or memory. */
static bool find_origin(struct tcp_session *s, int fd)
{
    size_t n = strlen(s->name);

    if (!tcp_origin_find(&s->server->origins, fd, &s->origin)) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no descriptors or memory to identify its user");
        return false;
    }
    if (s->origin.local && s->origin.uid == ACH_UID_UNKNOWN)
        snprintf(s->name + n, sizeof(s->name) - n, " of an unknown user");
    else if (s->origin.local)
        snprintf(s->name + n, sizeof(s->name) - n, " of uid %u", (unsigned)s->origin.uid);
    return true;
}

/* Data takes half of the memory at most, so that a client that asks for none gets answers. */
static ach_status_t make_queue(struct tcp_session *s)
{
    const struct tcp_options *o = &s->server->options;
    size_t bytes = (size_t)o->client_memory;
    ach_status_t status =
        ach_queue_create((unsigned)o->queue, bytes / 2, session_wake, s, &s->queue);

    if (status == ACH_OK)
        ach_queue_limit(s->queue, bytes, s->server->budget);
    return status;
}

static struct tcp_session *session_make(struct tcp_listener *listener, int fd)
{
    struct tcp_session *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->peer.class = &class;
    s->peer.loop = listener->peer.loop;
    s->peer.fd = -1;
    s->stream.fd = fd;
    s->server = listener->server;
    s->robot = listener->robot;
    s->port = listener->port;
    s->host = own_host(fd);
    s->trusted = !tcp_server_is_guarded(s->server);
    write_name(fd, s->name, sizeof(s->name));
    s->since = s->held_since = tcp_loop_seconds();
    tcp_input_init(&s->input,
                   s->trusted ? (size_t)s->server->options.message_max : (size_t)TCP_STRANGER_BODY);
    s->input.budget = s->server->budget;
    tcp_memory_begin(s);
    if (make_queue(s) == ACH_OK)
        return s;
    free(s);
    return NULL;
}

/* False: out of memory. */
static bool session_secure(struct tcp_session *s)
{
    if (!s->server->keys)
        return true;
    s->shaking = true;
    s->stream.tls = s->server->tls;
    return s->stream.tls->session_create(s->server->keys, TLS_SERVER, s->stream.fd, NULL,
                                         &s->stream.session) == ACH_OK;
}

ach_status_t tcp_session_create(struct tcp_listener *listener, int fd)
{
    struct tcp_session *s = session_make(listener, fd);

    if (!s) {
        close(fd);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a client");
    }
    session_configure(fd, &s->server->options);
    if (!session_secure(s) || !find_origin(s, fd) || !tcp_account_enter(s, fd) ||
        tcp_loop_add(listener->peer.loop, &s->peer, fd, EPOLLIN) != ACH_OK) {
        tcp_account_leave(s);
        ach_queue_close(s->queue);
        close(fd);
        session_destroy(&s->peer);
        return ACH_FAILED_SYSCALL;
    }
    enlist(s);
    if (!tcp_evict_find(s)) {
        tcp_session_leave(s);
        return ach_errstr_set(ACH_OVERFLOW, "there are already %d clients", s->server->clients);
    }
    if (!s->shaking)
        session_begin(s);
    return ACH_OK;
}
