/* SPDX-License-Identifier: BSD-3-Clause */
#include "connect.h"

#include <ach.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../util/monotonic.h"
#include "endpoint.h"

/* Seconds: practically never, but it fits a time_t of 32 bits. */
#define LATEST 2000000000

struct timespec tcp_connect_until(double time)
{
    struct timespec t = {.tv_sec = time < LATEST ? (time_t)time : LATEST};

    if (time >= LATEST)
        return t;
    t.tv_nsec = (long)((time - (double)t.tv_sec) * 1e9);
    return t;
}

bool tcp_connect_wait(int fd, short events, double until)
{
    struct pollfd p = {.fd = fd, .events = events};

    for (;;) {
        double left = until - monotonic_seconds();
        struct timespec t = tcp_connect_until(left > 0 ? left : 0);
        int n = ppoll(&p, 1, &t, NULL);

        if (n > 0)
            return true;
        if (n == 0 || errno != EINTR)
            return false;
    }
}

static const char *host_of(const ach_place_t *place)
{
    return *place->host ? place->host : "127.0.0.1";
}

static unsigned connect_port_of(const ach_place_t *place)
{
    return place->robot ? place->robot : ACH_ROBOT_DEFAULT;
}

void tcp_connect_name(const ach_place_t *place, char *name, size_t size)
{
    snprintf(name, size, "%s:%u", host_of(place), connect_port_of(place));
}

/* If the connection was refused, ach_errstr says what to do. */
static ach_status_t not_connected(const struct addrinfo *a, int error)
{
    struct sockaddr_storage address = {0};
    struct tcp_endpoint e;

    memcpy(&address, a->ai_addr, a->ai_addrlen);
    if (error != ECONNREFUSED)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "%s", strerror(error));
    if (tcp_endpoint_read(&address, &e) && tcp_endpoint_is_loopback(&e))
        return ach_errstr_set(ACH_FAILED_SYSCALL,
                              "connection refused: no server listens there; start one with ach "
                              "serve --port %u FILE",
                              ntohs(e.port));
    return ach_errstr_set(ACH_FAILED_SYSCALL,
                          "connection refused: no server listens there, or it listens on loopback "
                          "only: start it with ach serve --bind");
}

static ach_status_t finish(const struct addrinfo *a, int fd, double until)
{
    int error = 0;
    socklen_t size = sizeof(error);

    if (!tcp_connect_wait(fd, POLLOUT, until))
        return ach_errstr_set(ACH_TIMEOUT, "it does not answer");
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return error ? not_connected(a, error) : ACH_OK;
}

static ach_status_t connect_to(const struct addrinfo *a, double until, int *out)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    ach_status_t status = ACH_OK;

    if (fd < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "%s", strerror(errno));
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0)
        status = errno == EINPROGRESS ? finish(a, fd, until) : not_connected(a, errno);
    if (status == ACH_OK)
        *out = fd;
    else
        close(fd);
    return status;
}

static void connect_set(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof(value));
}

/* A machine that vanished is noticed after about half a minute. */
static void connect_configure(int fd)
{
    connect_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    connect_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    connect_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 15);
    connect_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    connect_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

ach_status_t tcp_connect(const ach_place_t *place, double until, int *fd)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found, *a;
    ach_status_t status = ACH_ENOENT;
    char port[16];
    int error;

    if (connect_port_of(place) > UINT16_MAX)
        return ach_errstr_set(ACH_EINVAL, "there is no port %u", connect_port_of(place));
    snprintf(port, sizeof(port), "%u", connect_port_of(place));
    error = getaddrinfo(host_of(place), port, &hints, &found);
    if (error)
        return ach_errstr_set(ACH_ENOENT, "%s", gai_strerror(error));
    for (a = found; a; a = a->ai_next) {
        status = connect_to(a, until, fd);
        if (status == ACH_OK || status == ACH_TIMEOUT)
            break;
    }
    freeaddrinfo(found);
    if (status == ACH_OK)
        connect_configure(*fd);
    return status;
}
