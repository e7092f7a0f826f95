/* SPDX-License-Identifier: BSD-3-Clause */
/* multicast.c - UDP multicast that never leaves the machine: one datagram for all receivers */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "built_in.h"
#include "lanes.h"

#define UDP_MAX 65507u
#define BUFFER ((size_t)1024 * 1024)
#define GROUPS 0xefff0000u /* 239.255.0.0: for use within a site */

static bool set(int fd, int option, int value)
{
    return setsockopt(fd, IPPROTO_IP, option, &value, sizeof(value)) == 0;
}

static bool listen_to(int fd, struct sockaddr_in *at)
{
    const struct ip_mreqn member = {.imr_multiaddr = at->sin_addr,
                                    .imr_address = {htonl(INADDR_LOOPBACK)}};
    int on = 1;

    return lane_buffers(fd, BUFFER) &&
           setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 && lane_bind(fd, at) &&
           setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof(member)) == 0;
}

static bool speak_to(int fd, const struct sockaddr_in *at)
{
    const struct in_addr loopback = {htonl(INADDR_LOOPBACK)};

    return lane_buffers(fd, BUFFER) && set(fd, IP_MULTICAST_TTL, 0) &&
           set(fd, IP_MULTICAST_LOOP, 1) &&
           setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof(loopback)) == 0 &&
           connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0;
}

/* The kernel finds a port for the first receiver, the others take the same. */
static bool make(const struct link *l, int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(GROUPS | (l->id & 0xffff))}};
    const struct lanes *s = l->state;
    socklen_t length = sizeof(at);

    fd[LANE_IN] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s->count > 0)
        return getsockname(s->fd[0][LANE_IN], (struct sockaddr *)&at, &length) == 0 &&
               listen_to(fd[LANE_IN], &at);
    fd[LANE_OUT] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return listen_to(fd[LANE_IN], &at) && speak_to(fd[LANE_OUT], &at);
}

const struct contender multicast_contender = {
    .name = "UDP multicast",
    .settings = "loopback, time to live 0, buffers of 4 MiB where allowed",
    .max_size = UDP_MAX,
    LANES(make),
};
