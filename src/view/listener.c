/* SPDX-License-Identifier: BSD-3-Clause */
#include "listener.h"

#include <ach/access.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "complain.h"

#define BACKLOG 64
#define TRY_AGAIN 200000000u /* ns */

union listener_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t listener_size(const union listener_address *a)
{
    return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

static bool listener_parse(const char *text, union listener_address *a)
{
    memset(a, 0, sizeof(*a));
    if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1)
        a->v4.sin_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1)
        a->v6.sin6_family = AF_INET6;
    else
        return false;
    return true;
}

static int listener_socket(union listener_address *a, uint16_t port)
{
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

    if (a->any.sa_family == AF_INET)
        a->v4.sin_port = htons(port);
    else
        a->v6.sin6_port = htons(port);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (a->any.sa_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, &a->any, listener_size(a)) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    on = errno;
    close(fd);
    errno = on;
    return -1;
}

static uint16_t listener_port(int fd)
{
    union listener_address a = {.any.sa_family = AF_UNSPEC};
    socklen_t size = sizeof(a);

    getsockname(fd, &a.any, &size);
    return ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
}

static const char *listener_refusal(struct view_listener *l, int fd)
{
    struct tcp_origin origin;

    if (!l->room(l->context))
        return "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\nToo many "
               "connections.\n";
    if (!tcp_origin_find(&l->origins, fd, &origin))
        return "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\nNo descriptors.\n";
    if (origin.local && origin.uid != geteuid() && origin.uid != 0)
        return "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nThis server belongs to another "
               "user.\n";
    return NULL;
}

static void listener_take(struct view_listener *l, int fd)
{
    const char *why = listener_refusal(l, fd);

    if (!why) {
        l->accepted(l->context, fd);
        return;
    }
    if (send(fd, why, strlen(why), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        view_complain("a connection was refused: %s", strerror(errno));
    shutdown(fd, SHUT_RDWR);
    close(fd);
}

static void listener_watch(struct view_listener *l, bool watch)
{
    unsigned i;

    for (i = 0; i < l->n; i++)
        if (!watch)
            view_loop_remove(l->loop, &l->watches[i]);
        else if (!view_loop_add(l->loop, &l->watches[i]))
            view_complain("cannot wait for connections: %s", strerror(errno));
}

static void listener_again(void *context)
{
    listener_watch(context, true);
}

static void listener_accept(struct view_listener *l, int listening)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0) {
        listener_take(l, fd);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        listener_watch(l, false);
        view_timer_set(l->loop, &l->later, view_now() + TRY_AGAIN);
    }
}

static void listener_first(void *context)
{
    struct view_listener *l = context;

    listener_accept(l, l->watches[0].fd);
}

static void listener_second(void *context)
{
    struct view_listener *l = context;

    listener_accept(l, l->watches[1].fd);
}

static bool listener_add(struct view_listener *l, const char *address, uint16_t port)
{
    static view_ready_t *const ready[VIEW_LISTENERS] = {listener_first, listener_second};
    union listener_address a;
    int fd = listener_parse(address, &a) ? listener_socket(&a, port) : (errno = EINVAL, -1);

    if (fd < 0)
        return false;
    l->watches[l->n] = (struct view_watch){.fd = fd, .ready = ready[l->n], .context = l};
    l->port = listener_port(fd);
    l->n++;
    return true;
}

/* A machine without IPv6 is served by IPv4 alone. */
static bool listener_add_all(struct view_listener *l, const char *address, unsigned port)
{
    if (!listener_add(l, address ? address : "127.0.0.1", (uint16_t)port)) {
        view_complain("cannot listen at %s, port %u: %s%s", address ? address : "127.0.0.1", port,
                      strerror(errno),
                      errno == EADDRINUSE ? "; choose another one with --port" : "");
        return false;
    }
    if (!address && !listener_add(l, "::1", l->port) && errno == EADDRINUSE) {
        view_complain("cannot listen at ::1, port %u: %s; choose another one with --port", l->port,
                      strerror(errno));
        return false;
    }
    return true;
}

bool view_listener_open(struct view_listener *l, const char *address, unsigned port)
{
    l->later = (struct view_timer){.due = listener_again, .context = l};
    l->has_origins = tcp_origins_open(&l->origins);
    if (!l->has_origins) {
        view_complain("no descriptors or memory");
        return false;
    }
    if (!listener_add_all(l, address, port))
        return false;
    listener_watch(l, true);
    return true;
}

void view_listener_close(struct view_listener *l)
{
    unsigned i;

    if (l->later.when)
        view_timer_stop(l->loop, &l->later);
    else
        listener_watch(l, false);
    for (i = 0; i < l->n; i++)
        close(l->watches[i].fd);
    l->n = 0;
    if (l->has_origins)
        tcp_origins_close(&l->origins);
    l->has_origins = false;
}
