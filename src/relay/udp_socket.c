/* SPDX-License-Identifier: BSD-3-Clause */
#include "udp_socket.h"

#include <ach.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

typedef int name_fun(int fd, struct sockaddr *address, socklen_t *size);

/* The address of one side of a stream, with another port. */
static socklen_t address_of(int stream, name_fun *name, uint16_t port, union address *a)
{
    socklen_t size = sizeof(*a);

    memset(a, 0, sizeof(*a));
    if (name(stream, &a->any, &size) != 0 || size > sizeof(*a))
        return 0;
    if (a->any.sa_family == AF_INET)
        a->v4.sin_port = htons(port);
    else if (a->any.sa_family == AF_INET6)
        a->v6.sin6_port = htons(port);
    else
        return 0;
    return size;
}

/* An address of IPv4 inside of IPv6 counts. */
static bool address_v4(int stream, name_fun *name, struct in_addr *v4)
{
    union address a;

    if (!address_of(stream, name, 0, &a))
        return false;
    if (a.any.sa_family == AF_INET)
        *v4 = a.v4.sin_addr;
    else if (IN6_IS_ADDR_V4MAPPED(&a.v6.sin6_addr))
        memcpy(v4, a.v6.sin6_addr.s6_addr + 12, 4);
    else
        return false;
    return true;
}

bool relay_udp_socket_local(int stream, struct in_addr *local)
{
    return address_v4(stream, getsockname, local);
}

static int udp_failed(const char *what, int fd)
{
    ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", what, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static int udp_open(int family)
{
    return socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int relay_udp_socket(int stream, uint16_t *port)
{
    union address a;
    socklen_t size = address_of(stream, getsockname, 0, &a);
    int fd = size ? udp_open(a.any.sa_family) : -1;

    if (fd < 0 || bind(fd, &a.any, size) != 0 || getsockname(fd, &a.any, &size) != 0)
        return udp_failed("cannot make a socket for datagrams", fd);
    *port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
    return fd;
}

bool relay_udp_socket_connect(int fd, int stream, uint16_t port)
{
    union address a;
    socklen_t size = address_of(stream, getpeername, port, &a);

    if (size && connect(fd, &a.any, size) == 0)
        return true;
    ach_errstr_set(ACH_FAILED_SYSCALL, "cannot send datagrams to the peer: %s", strerror(errno));
    return false;
}

static struct sockaddr_in group_address(const unsigned char group[4], uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};

    memcpy(&a.sin_addr, group, 4);
    return a;
}

/* IPv4 sends with a hop limit of 1: the group stays in the local network. */
int relay_udp_socket_group(int stream, const unsigned char group[4], uint16_t port)
{
    struct sockaddr_in to = group_address(group, port), from = {.sin_family = AF_INET};
    int fd;

    if (!address_v4(stream, getsockname, &from.sin_addr)) {
        ach_errstr_set(ACH_ENOTSUP, "multicast needs a connection over IPv4");
        return -1;
    }
    fd = udp_open(AF_INET);
    if (fd < 0 || bind(fd, (struct sockaddr *)&from, sizeof(from)) != 0 ||
        setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &from.sin_addr, sizeof(from.sin_addr)) != 0 ||
        connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        return udp_failed("cannot send to the multicast group", fd);
    return fd;
}

/* Several sockets of a host may receive the same group. */
int relay_udp_socket_join(int stream, const unsigned char group[4], uint16_t port)
{
    struct sockaddr_in at = group_address(group, port);
    struct ip_mreq_source m = {.imr_multiaddr = at.sin_addr};
    int on = 1, off = 0, fd;

    if (!IN_MULTICAST(ntohl(at.sin_addr.s_addr)) || !port ||
        !address_v4(stream, getsockname, &m.imr_interface) ||
        !address_v4(stream, getpeername, &m.imr_sourceaddr)) {
        ach_errstr_set(ACH_EINVAL, "multicast needs a group and a connection over IPv4");
        return -1;
    }
    fd = udp_open(AF_INET);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off)) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
        setsockopt(fd, IPPROTO_IP, IP_ADD_SOURCE_MEMBERSHIP, &m, sizeof(m)) != 0)
        return udp_failed("cannot join the multicast group", fd);
    return fd;
}
