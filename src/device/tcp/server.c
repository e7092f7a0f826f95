/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include <ach.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "descriptors.h"
#include "dial.h"
#include "listener.h"
#include "memory.h"
#include "reach.h"

/* A client that sends for ever does not keep the server from its end. */
#define SINK_ROUNDS 64

/* A stranger has so many seconds to show the secret. */
#define STRANGER_SECONDS 10

/* Shorter secrets can be guessed, at one guess each second from each of many machines. */
#define SECRET_LENGTH 12u

/* The log says that often that clients are turned away. */
#define TELL_SECONDS 10

uint32_t achi_server_port(const struct achi_server *server, uint32_t robot)
{
    return robot ? robot : server->listeners->port;
}

static void tick(void *context);

long achi_server_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

void achi_server_tick(struct achi_server *server)
{
    achi_loop_set_tick(server->loop, tick);
}

static void tell_turned_away(struct achi_server *server)
{
    if (server->turned_away == 1)
        ach_robot_log(server->robot, ACH_LOG_WARNING, "a client is turned away: %s", server->why);
    else
        ach_robot_log(server->robot, ACH_LOG_WARNING,
                      "%u clients were turned away within %d s, the last one because %s",
                      server->turned_away, TELL_SECONDS, server->why);
    server->turned_away = 0;
    server->told = achi_server_seconds();
}

/* The first is told at once, and those that follow together: there may be very many. */
void achi_server_turn_away(struct achi_server *server, const char *why)
{
    server->turned_away++;
    snprintf(server->why, sizeof(server->why), "%s", why);
    if (achi_server_seconds() - server->told >= TELL_SECONDS)
        tell_turned_away(server);
    else
        achi_server_tick(server);
}

static void drop_strangers(struct achi_server *server)
{
    long now = achi_server_seconds();

    while (server->strangers && now - server->strangers->since >= STRANGER_SECONDS)
        achi_session_close(server->strangers, "it did not show the secret");
}

/* Those that came first are first. */
static void wake_throttled(struct achi_server *server)
{
    struct achi_session *s;

    for (s = server->strangers; s; s = s->next_stranger)
        if (s->throttled)
            achi_loop_mark(&s->peer);
}

/* Each second, as long as there is a reason. */
static void tick(void *context)
{
    struct achi_server *server = context;
    bool secret = *server->options.secret;

    if (secret) {
        drop_strangers(server);
        wake_throttled(server);
        achi_accounts_forget(server, false);
    }
    if (server->paused)
        achi_listeners_resume(server);
    if (server->turned_away && achi_server_seconds() - server->told >= TELL_SECONDS)
        tell_turned_away(server);
    achi_memory_relieve(server);
    if (!secret && !server->turned_away && !server->loop->hurry)
        achi_loop_set_tick(server->loop, NULL);
}

static bool pack(void *context)
{
    return achi_session_pack(context);
}

/* When everything that the server needs itself is open. */
static void limit_clients(struct achi_server *server)
{
    int most = achi_descriptors_clients(server->options.clients_max);

    if (most == server->options.clients_max)
        return;
    server->options.clients_max = most;
    ach_robot_log(server->robot, ACH_LOG_INFO,
                  "at most %d clients: the limit of open files (ulimit -n) allows no more", most);
}

static ach_status_t start(struct achi_server *server)
{
    ach_status_t status = ach_budget_create((size_t)server->options.memory, &server->budget);

    if (status == ACH_OK && !achi_origins_open(&server->origins))
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no descriptors or memory to tell users apart");
    if (status == ACH_OK)
        status = achi_loop_create(&server->loop);
    if (status == ACH_OK)
        server->loop->work = pack;
    if (status == ACH_OK)
        status = achi_listeners_add(server);
    if (status == ACH_OK)
        limit_clients(server);
    if (status == ACH_OK)
        status = achi_loop_start(server->loop, *server->options.secret ? tick : NULL, server);
    return status;
}

static void warn_open(const struct achi_server *server)
{
    unsigned interface;

    if (*server->options.secret && strlen(server->options.secret) < SECRET_LENGTH)
        ach_robot_log(server->robot, ACH_LOG_WARNING,
                      "the secret is short and can be guessed: use %u characters or more",
                      SECRET_LENGTH);
    if (!*server->options.secret && achi_reach_find(server->listeners->peer.fd, &interface))
        ach_robot_log(server->robot, ACH_LOG_WARNING,
                      "listening on %s without a secret: everybody in the network can read and "
                      "command all devices",
                      server->options.bind);
}

ach_status_t achi_server_create(ach_robot_t *robot, const struct achi_options *options,
                                struct achi_server **server)
{
    struct achi_server *s = calloc(1, sizeof(*s));
    ach_status_t status;

    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a server");
    s->robot = robot;
    s->options = *options;
    s->last_stranger = &s->strangers;
    s->origins.netlink.diag = s->origins.netlink.route = -1;
    s->told = achi_server_seconds() - TELL_SECONDS;
    s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    status = start(s);
    if (status != ACH_OK) {
        achi_server_destroy(s);
        return status;
    }
    ach_robot_log(robot, ACH_LOG_INFO, "listening on %s port %u", s->options.bind,
                  s->listeners->port);
    warn_open(s);
    *server = s;
    return ACH_OK;
}

static void end_sessions(struct achi_server *server)
{
    struct achi_session *s, *next;

    for (s = server->sessions; s; s = next) {
        next = s->next;
        achi_session_end(s);
    }
}

static bool all_done(const struct achi_server *server)
{
    const struct achi_session *s = server->sessions;

    while (s && achi_session_done(s))
        s = s->next;
    return !s;
}

/* The loop's thread sends; a client that does not read is waited for that long, but no longer. */
static void await_sessions(struct achi_server *server)
{
    double until = achi_dial_now() + server->options.linger;

    while (!all_done(server) && achi_dial_now() < until) {
        achi_loop_leave(server->loop);
        usleep(1000);
        achi_loop_enter(server->loop);
    }
}

/*
 * The last data and answers reach the clients. A socket that is closed while there is something
 * to receive in it destroys what it has not sent yet: so that goes first.
 */
static void close_sessions(struct achi_server *server)
{
    char sink[4096];

    while (server->sessions) {
        int fd = server->sessions->peer.fd, rounds = SINK_ROUNDS;

        shutdown(fd, SHUT_WR);
        while (rounds-- && recv(fd, sink, sizeof(sink), MSG_DONTWAIT) > 0)
            ;
        achi_session_close(server->sessions, "the server ends");
    }
}

static void remove_all(struct achi_server *server)
{
    achi_loop_enter(server->loop);
    achi_listeners_stop(server);
    if (server->loop->running) {
        end_sessions(server);
        await_sessions(server);
    }
    close_sessions(server);
    achi_listeners_remove(server);
    achi_loop_leave(server->loop);
}

void achi_server_destroy(struct achi_server *server)
{
    if (server->loop) {
        remove_all(server);
        achi_loop_destroy(server->loop);
    }
    achi_accounts_forget(server, true);
    ach_budget_destroy(server->budget);
    achi_origins_close(&server->origins);
    if (server->spare >= 0)
        close(server->spare);
    free(server);
}
