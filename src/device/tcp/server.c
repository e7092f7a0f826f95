/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include <ach.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../util/monotonic.h"
#include "connect.h"
#include "descriptors.h"
#include "listener.h"
#include "memory.h"
#include "reach.h"

/* Limit of receive calls per client when the server ends: a client may send for ever. */
#define SINK_ROUNDS 64

/* Seconds for a stranger to finish the TLS handshake and to send the secret. */
#define STRANGER_SECONDS 10

/* Seconds after which a client's certificate is checked again, and checks in a tick. */
#define CHECK_SECONDS 60
#define CHECKS 16

/* Shorter secrets can be guessed, at one guess each second from each of many machines. */
#define SECRET_LENGTH 12u

static void drop_strangers(struct tcp_server *server)
{
    long now = tcp_loop_seconds();

    while (server->strangers && now - server->strangers->since >= STRANGER_SECONDS)
        tcp_session_close(server->strangers, server->strangers->shaking
                                                 ? "it did not finish the TLS handshake in time"
                                                 : "it did not send the secret in time");
}

/* The oldest client first. */
static void wake_throttled(struct tcp_server *server)
{
    struct tcp_session *s;

    for (s = server->strangers; s; s = s->next_stranger)
        if (s->throttled)
            tcp_loop_mark(&s->peer);
}

/* Disconnect a client whose certificate is not valid any more. */
static void check_session(struct tcp_session *s)
{
    s->checked = tcp_loop_seconds();
    if (!s->shaking && s->stream.tls->session_check(s->stream.session) != ACH_OK)
        tcp_session_close(s, ach_errstr());
}

/* Each certificate once a minute, but few in each tick: a check takes some 100 us. */
static void check_some(struct tcp_server *server)
{
    long now = tcp_loop_seconds();
    struct tcp_session *s, *next;
    int n = CHECKS;

    for (s = server->sessions; s && n; s = next) {
        next = s->next;
        if (now - s->checked < CHECK_SECONDS)
            continue;
        check_session(s);
        n--;
    }
}

ach_status_t tcp_server_reload(struct tcp_server *server)
{
    struct tcp_session *s, *next;
    ach_status_t status;

    if (!server->keys)
        return ach_errstr_set(ACH_ENOTSUP, "the server does not use TLS");
    status = server->tls->context_reload(server->keys);
    if (status != ACH_OK)
        return status;
    tcp_loop_enter(server->loop);
    for (s = server->sessions; s; s = next) {
        next = s->next;
        check_session(s);
    }
    tcp_loop_leave(server->loop);
    return ACH_OK;
}

/* Stops ticking when nothing is left to do. */
static void tick(void *context)
{
    struct tcp_server *server = context;
    bool guarded = tcp_server_is_guarded(server);

    if (guarded) {
        drop_strangers(server);
        wake_throttled(server);
        tcp_accounts_forget(server, false);
    }
    if (server->paused)
        tcp_listeners_resume(server);
    tcp_server_tell_turned_away(server);
    tcp_memory_relieve(server);
    if (server->keys)
        check_some(server);
    if (!guarded && !server->turned_away && !server->loop->hurry)
        tcp_loop_set_ticking(server->loop, false);
}

static bool pack(void *context)
{
    return tcp_session_pack(context);
}

/* Call it when the server has opened all descriptors that it needs itself. */
static void limit_clients(struct tcp_server *server)
{
    int most = tcp_descriptors_clients(server->options.clients_max);

    if (most == server->options.clients_max)
        return;
    server->options.clients_max = most;
    ach_robot_log(server->robot, ACH_LOG_INFO,
                  "at most %d clients: the limit of open files (ulimit -n) allows no more", most);
}

static ach_status_t load_keys(struct tcp_server *server)
{
    if (!*server->options.keys)
        return ACH_OK;
    server->tls = tls_load();
    return server->tls ? server->tls->context_create(server->options.keys, &server->keys)
                       : ACH_ENOTSUP;
}

static ach_status_t start(struct tcp_server *server)
{
    ach_status_t status = ach_budget_create((size_t)server->options.memory, &server->budget);

    if (status == ACH_OK)
        status = load_keys(server);
    if (status == ACH_OK && !tcp_origins_open(&server->origins))
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no descriptors or memory to identify users");
    if (status == ACH_OK)
        status = tcp_loop_create(&server->loop);
    if (status == ACH_OK)
        server->loop->work = pack;
    if (status == ACH_OK)
        status = tcp_listeners_add(server);
    if (status == ACH_OK)
        limit_clients(server);
    if (status == ACH_OK)
        tcp_loop_set_ticking(server->loop, tcp_server_is_guarded(server));
    if (status == ACH_OK)
        status = tcp_loop_start(server->loop, tick, server);
    return status;
}

static void warn_open(const struct tcp_server *server)
{
    unsigned interface;

    if (*server->options.secret && strlen(server->options.secret) < SECRET_LENGTH)
        ach_robot_log(server->robot, ACH_LOG_WARNING,
                      "the secret is short and can be guessed: use %u characters or more",
                      SECRET_LENGTH);
    if (!tcp_server_is_guarded(server) && tcp_reach_find(server->listeners->peer.fd, &interface))
        ach_robot_log(server->robot, ACH_LOG_WARNING,
                      "listening on %s without a secret: everybody in the network can read and "
                      "command all devices; use --tls",
                      server->options.bind);
}

ach_status_t tcp_server_create(ach_robot_t *robot, const struct tcp_options *options,
                               struct tcp_server **server)
{
    struct tcp_server *s = calloc(1, sizeof(*s));
    ach_status_t status;

    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a server");
    s->robot = robot;
    s->options = *options;
    s->last_stranger = &s->strangers;
    s->origins.netlink.diag = s->origins.netlink.route = -1;
    s->told = LONG_MIN / 2;
    s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    status = start(s);
    if (status != ACH_OK) {
        tcp_server_destroy(s);
        return status;
    }
    ach_robot_log(robot, ACH_LOG_INFO, "listening on %s port %u", s->options.bind,
                  s->listeners->port);
    warn_open(s);
    *server = s;
    return ACH_OK;
}

static void end_sessions(struct tcp_server *server)
{
    struct tcp_session *s, *next;

    for (s = server->sessions; s; s = next) {
        next = s->next;
        tcp_session_end(s);
    }
}

static bool all_done(const struct tcp_server *server)
{
    const struct tcp_session *s = server->sessions;

    while (s && tcp_session_done(s))
        s = s->next;
    return !s;
}

/* The loop's thread sends. Wait at most options.linger seconds for clients that do not read. */
static void await_sessions(struct tcp_server *server)
{
    double until = monotonic_seconds() + server->options.linger;

    while (!all_done(server) && monotonic_seconds() < until) {
        tcp_loop_leave(server->loop);
        usleep(1000);
        tcp_loop_enter(server->loop);
    }
}

/*
 * If a socket is closed with unread input, the kernel resets the connection and discards what is
 * not sent yet. So read the input first, and the last data and answers reach the clients.
 */
static void close_sessions(struct tcp_server *server)
{
    char sink[4096];

    while (server->sessions) {
        int fd = server->sessions->peer.fd, rounds = SINK_ROUNDS;

        tcp_stream_shutdown(&server->sessions->stream);
        shutdown(fd, SHUT_WR);
        while (rounds-- && recv(fd, sink, sizeof(sink), MSG_DONTWAIT) > 0)
            ;
        tcp_session_close(server->sessions, "the server is shutting down");
    }
}

static void remove_all(struct tcp_server *server)
{
    tcp_loop_enter(server->loop);
    tcp_listeners_stop(server);
    if (server->loop->running) {
        end_sessions(server);
        await_sessions(server);
    }
    close_sessions(server);
    tcp_listeners_remove(server);
    tcp_loop_leave(server->loop);
}

void tcp_server_destroy(struct tcp_server *server)
{
    if (server->loop) {
        remove_all(server);
        tcp_loop_destroy(server->loop);
    }
    tcp_accounts_forget(server, true);
    ach_budget_destroy(server->budget);
    tcp_origins_close(&server->origins);
    if (server->tls)
        server->tls->context_destroy(server->keys);
    if (server->spare >= 0)
        close(server->spare);
    free(server);
}
