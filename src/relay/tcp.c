/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - streams over plain TCP, or SCTP */
#include <ach.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream.h"

#define BACKLOG 128

/* Most bytes that the kernel holds unsent: they are too late for a change of mind. */
#define UNSENT_MAX 16384

/* SCTP refuses to send more at once than its buffer holds. */
#define MESSAGE_MAX 16384u

#define SCTP_NODELAY 3 /* of linux/sctp.h, whose package may not be installed */

static int protocol = IPPROTO_TCP;

void relay_tcp_use_sctp(void)
{
    protocol = IPPROTO_SCTP;
}

static ssize_t tcp_done(ssize_t n, bool reads)
{
    if (n > 0)
        return n;
    if (n == 0 && reads)
        errno = 0;
    else if (n == 0 || errno == EAGAIN || errno == EINTR)
        return 0;
    return -1;
}

static ssize_t tcp_read(struct relay_stream *s, void *bytes, size_t room)
{
    return tcp_done(recv(s->fd, bytes, room, MSG_DONTWAIT), true);
}

static ssize_t tcp_write(struct relay_stream *s, const void *bytes, size_t n)
{
    ssize_t sent = send(s->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent < 0 && errno == EMSGSIZE && n > MESSAGE_MAX)
        sent = send(s->fd, bytes, MESSAGE_MAX, MSG_DONTWAIT | MSG_NOSIGNAL);
    return tcp_done(sent, false);
}

static bool tcp_connected(struct relay_stream *s)
{
    int error = 0;
    socklen_t size = sizeof(error);

    if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0)
        errno = error;
    return errno == 0;
}

static void tcp_close(struct relay_stream *s)
{
    close(s->fd);
    s->fd = -1;
}

static const struct relay_stream_ops tcp_ops = {
    .read = tcp_read, .write = tcp_write, .connected = tcp_connected, .close = tcp_close};

static void tcp_set(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof(value));
}

static int tcp_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
}

static const char *tcp_reason(void)
{
    if (protocol == IPPROTO_SCTP && (errno == EPROTONOSUPPORT || errno == ESOCKTNOSUPPORT))
        return "this kernel has no SCTP, or its module is not loaded: modprobe sctp";
    return strerror(errno);
}

static void tcp_configure(int fd)
{
    if (protocol == IPPROTO_SCTP) {
        tcp_set(fd, IPPROTO_SCTP, SCTP_NODELAY, 1);
        return;
    }
    tcp_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    tcp_set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_MAX);
}

static bool is_loopback(const struct sockaddr *a)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (a->sa_family == AF_INET) {
        memcpy(&v4, a, sizeof(v4));
        return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
    }
    if (a->sa_family != AF_INET6)
        return false;
    memcpy(&v6, a, sizeof(v6));
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

static bool tcp_allowed(const char *host, const struct sockaddr *a, bool anywhere)
{
    if (anywhere || is_loopback(a))
        return true;
    ach_errstr_set(ACH_EACCES,
                   "%s is not a loopback address: use --tls, or --insecure if everybody in the "
                   "network may read and forge messages",
                   host);
    return false;
}

static struct addrinfo *tcp_find(const char *host, unsigned port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char text[16];
    int error;

    snprintf(text, sizeof(text), "%u", port);
    error = getaddrinfo(host, text, &hints, &found);
    if (error)
        ach_errstr_set(ACH_ENOENT, "%s: %s", host, gai_strerror(error));
    return found;
}

/* Addresses are tried in turn. */
static const struct addrinfo *tcp_choose(const struct addrinfo *found, unsigned attempt)
{
    const struct addrinfo *a = found;
    unsigned n = 0;

    do
        n++;
    while ((a = a->ai_next));
    for (a = found, attempt %= n; attempt--;)
        a = a->ai_next;
    return a;
}

static bool tcp_begin(struct relay_stream *s, const struct addrinfo *a, const char *host)
{
    int fd = tcp_socket(a->ai_family);

    if (fd >= 0 && (connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS)) {
        tcp_configure(fd);
        *s = (struct relay_stream){.ops = &tcp_ops, .fd = fd};
        return true;
    }
    ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", host, tcp_reason());
    if (fd >= 0)
        close(fd);
    return false;
}

bool relay_tcp_connect(struct relay_stream *s, const char *host, const struct addrinfo *found,
                       unsigned attempt, bool anywhere)
{
    const struct addrinfo *a = tcp_choose(found, attempt);

    return tcp_allowed(host, a->ai_addr, anywhere) && tcp_begin(s, a, host);
}

static unsigned tcp_port(int fd)
{
    struct sockaddr_storage a = {0};
    struct sockaddr_in v4; /* the port of IPv6 is at the same place */
    socklen_t size = sizeof(a);

    getsockname(fd, (struct sockaddr *)&a, &size);
    memcpy(&v4, &a, sizeof(v4));
    return ntohs(v4.sin_port);
}

static int tcp_open_listener(const struct addrinfo *a)
{
    int fd = tcp_socket(a->ai_family);

    if (fd < 0)
        return -1;
    tcp_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    close(fd);
    return -1;
}

int relay_tcp_listen(const char *address, unsigned *port, bool anywhere)
{
    struct addrinfo *found = tcp_find(address, *port);
    int fd = -1;

    if (!found)
        return -1;
    if (tcp_allowed(address, found->ai_addr, anywhere)) {
        fd = tcp_open_listener(found);
        if (fd < 0)
            ach_errstr_set(ACH_FAILED_SYSCALL, "cannot listen on %s port %u: %s", address, *port,
                           tcp_reason());
        else
            *port = tcp_port(fd);
    }
    freeaddrinfo(found);
    return fd;
}

bool relay_tcp_accept(int listener, struct relay_stream *s, char *name, size_t room)
{
    struct sockaddr_storage a = {0};
    socklen_t size = sizeof(a);
    int fd = accept4(listener, (struct sockaddr *)&a, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return false;
    tcp_configure(fd);
    if (getnameinfo((struct sockaddr *)&a, size, name, (socklen_t)room, NULL, 0, NI_NUMERICHOST))
        snprintf(name, room, "unknown");
    *s = (struct relay_stream){.ops = &tcp_ops, .fd = fd};
    return true;
}
