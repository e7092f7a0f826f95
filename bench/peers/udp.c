/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - UDP over loopback, a datagram for each receiver */
#include <sys/socket.h>

#include "built_in.h"
#include "lanes.h"

#define UDP_MAX 65507u
#define BUFFER ((size_t)1024 * 1024)

static bool make(const struct link *l, int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};

    (void)l;
    fd[LANE_IN] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    fd[LANE_OUT] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return lane_buffers(fd[LANE_IN], BUFFER) && lane_buffers(fd[LANE_OUT], BUFFER) &&
           lane_bind(fd[LANE_IN], &at) &&
           connect(fd[LANE_OUT], (struct sockaddr *)&at, sizeof(at)) == 0;
}

const struct contender udp_contender = {
    .name = "UDP",
    .settings = "loopback, a connected socket per receiver, buffers of 4 MiB where allowed",
    .max_size = UDP_MAX,
    LANES(make),
};
