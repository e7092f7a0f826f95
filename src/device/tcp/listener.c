/* SPDX-License-Identifier: BSD-3-Clause */
#include "listener.h"

#include <ach.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "evict.h"

#define BACKLOG 1024

/* Leave connections that can be neither accepted nor refused in the backlog until a tick. */
static void pause_accepting(struct tcp_listener *l)
{
    tcp_loop_want(&l->peer, 0);
    l->server->paused = true;
    tcp_loop_set_ticking(l->server->loop, true);
}

/* Out of descriptors: close the spare one to accept a connection, and close that at once. */
static void refuse_one(struct tcp_listener *l)
{
    struct tcp_server *server = l->server;
    int fd;

    if (server->spare >= 0)
        close(server->spare);
    fd = accept4(l->peer.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        tcp_server_turn_away(server, "there are no more file descriptors");
    else
        pause_accepting(l);
}

/* False: accept no more for now. */
static bool cannot_accept(struct tcp_listener *l, int error)
{
    if (error == EMFILE || error == ENFILE)
        refuse_one(l);
    else if (error == ENOMEM || error == ENOBUFS)
        pause_accepting(l);
    return error == ECONNABORTED || error == EINTR;
}

/* Out of descriptors, accept4 fails with EMFILE even if no client waits, so check with poll. */
static int accept_one(struct tcp_listener *l)
{
    struct pollfd p = {.fd = l->peer.fd, .events = POLLIN};
    int fd = accept4(l->peer.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
        return fd;
    if (poll(&p, 1, 0) <= 0) {
        errno = EAGAIN;
        return -1;
    }
    tcp_evict_make(l->server);
    return accept4(l->peer.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static bool take_one(struct tcp_listener *l)
{
    int fd = accept_one(l);

    if (fd < 0)
        return cannot_accept(l, errno);
    if (tcp_session_create(l, fd) != ACH_OK)
        tcp_server_turn_away(l->server, ach_errstr());
    return true;
}

static void listener_ready(struct tcp_peer *p, uint32_t events)
{
    int n = 64;

    (void)events;
    while (n-- && take_one((struct tcp_listener *)p))
        ;
}

static void listener_destroy(struct tcp_peer *p)
{
    free(p);
}

static const struct tcp_peer_class class = {listener_ready, NULL, listener_destroy};

static uint16_t listener_port_of(int fd)
{
    struct sockaddr_in6 v6;
    struct sockaddr_in v4;
    struct sockaddr_storage a;
    socklen_t size = sizeof(a);

    memset(&a, 0, sizeof(a));
    if (getsockname(fd, (struct sockaddr *)&a, &size) != 0)
        return 0;
    memcpy(&v6, &a, sizeof(v6));
    memcpy(&v4, &a, sizeof(v4));
    return ntohs(a.ss_family == AF_INET6 ? v6.sin6_port : v4.sin_port);
}

static int listen_at(const struct addrinfo *a)
{
    const int on = 1;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    close(fd);
    return -1;
}

static int open_port(const char *address, uint32_t port, int *fd)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found;
    char text[16];
    int error;

    snprintf(text, sizeof(text), "%u", port);
    error = getaddrinfo(address, text, &hints, &found);
    if (error) {
        ach_errstr_set(ACH_EINVAL, "cannot listen on %s: %s", address, gai_strerror(error));
        return -1;
    }
    *fd = listen_at(found);
    if (*fd < 0)
        ach_errstr_set(ACH_FAILED_SYSCALL, "cannot listen on %s port %u: %s", address, port,
                       strerror(errno));
    freeaddrinfo(found);
    return *fd;
}

static ach_status_t add_listener(struct tcp_server *server, uint32_t robot, uint32_t port)
{
    struct tcp_listener *l, **end = &server->listeners;
    int fd;

    if (open_port(server->options.bind, port, &fd) < 0)
        return ACH_FAILED_SYSCALL;
    l = calloc(1, sizeof(*l));
    if (!l) {
        close(fd);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to listen");
    }
    l->peer.class = &class;
    l->server = server;
    l->robot = robot;
    l->port = listener_port_of(fd);
    while (*end)
        end = &(*end)->next;
    *end = l;
    return tcp_loop_add(server->loop, &l->peer, fd, EPOLLIN);
}

static bool has_listener(const struct tcp_server *server, uint32_t robot)
{
    const struct tcp_listener *l = server->listeners;

    while (l && l->robot != robot)
        l = l->next;
    return l;
}

/* A device with another robot's number is served at the port of that number. */
static ach_status_t add_others(struct tcp_server *server)
{
    size_t i, n = ach_robot_devices(server->robot, NULL, 0);
    ach_device_info_t *infos = calloc(n + 1, sizeof(*infos));
    ach_status_t status = ACH_OK;

    if (!infos)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory to list devices");
    ach_robot_devices(server->robot, infos, n);
    for (i = 0; i < n && status == ACH_OK; i++) {
        uint32_t robot = infos[i].address.robot;

        if (infos[i].remote || has_listener(server, robot))
            continue;
        if (robot > UINT16_MAX)
            status = ach_errstr_set(
                ACH_EINVAL, "a robot's number is also its port, and %u is not a port number",
                robot);
        else
            status = add_listener(server, robot, robot);
    }
    free(infos);
    return status;
}

ach_status_t tcp_listeners_add(struct tcp_server *server)
{
    ach_status_t status = add_listener(server, 0, (uint32_t)server->options.port);

    return status == ACH_OK ? add_others(server) : status;
}

void tcp_listeners_resume(struct tcp_server *server)
{
    struct tcp_listener *l;

    server->paused = false;
    for (l = server->listeners; l; l = l->next)
        tcp_loop_want(&l->peer, EPOLLIN);
}

void tcp_listeners_stop(struct tcp_server *server)
{
    struct tcp_listener *l;

    for (l = server->listeners; l; l = l->next)
        tcp_loop_hang_up(&l->peer);
}

void tcp_listeners_remove(struct tcp_server *server)
{
    while (server->listeners) {
        struct tcp_listener *l = server->listeners;

        server->listeners = l->next;
        tcp_loop_remove(&l->peer);
    }
}
