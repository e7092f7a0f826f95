/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - UDP over loopback, a datagram for each receiver */
#include <netinet/in.h>
#include <sys/socket.h>

#include "kernel.h"
#include "lanes.h"

#define UDP_MAX 65507u
#define BUFFER ((size_t)1024 * 1024)

static bool make(const struct lanes *l, unsigned index, int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr *address = (struct sockaddr *)&at;
    socklen_t length = sizeof(at);

    (void)l;
    (void)index;
    fd[LANE_IN] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    fd[LANE_OUT] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd[LANE_IN] >= 0 && fd[LANE_OUT] >= 0 && lane_buffers(fd[LANE_IN], BUFFER) &&
           lane_buffers(fd[LANE_OUT], BUFFER) && bind(fd[LANE_IN], address, length) == 0 &&
           getsockname(fd[LANE_IN], address, &length) == 0 &&
           connect(fd[LANE_OUT], address, length) == 0;
}

static void *setup(const struct job *job)
{
    return lanes_create(job, false, make);
}

const struct contender udp_contender = {
    .name = "UDP",
    .source = __FILE__ " lanes.c",
    .kind = KIND_KERNEL,
    .settings = "loopback, a connected socket per receiver, buffers of 4 MiB where allowed",
    .modes = MODE_BLOCK | MODE_POLL | MODE_SPIN,
    .max_size = UDP_MAX,
    .setup = setup,
    LANES_FUNCTIONS,
};
