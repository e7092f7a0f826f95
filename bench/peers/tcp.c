/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - TCP over loopback, a connection for each sender and receiver */
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "built_in.h"
#include "lanes.h"

static bool configure(int fd, size_t size)
{
    int on = 1;

    return lane_buffers(fd, size) && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0;
}

/* An accepted socket inherits the options of the one that listens. */
static bool make(const struct link *l, int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    fd[LANE_OUT] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (configure(listener, l->size) && configure(fd[LANE_OUT], l->size) &&
        lane_bind(listener, &at) && listen(listener, 1) == 0 &&
        connect(fd[LANE_OUT], (struct sockaddr *)&at, sizeof(at)) == 0)
        fd[LANE_IN] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    close(listener);
    return fd[LANE_IN] >= 0;
}

const struct contender tcp_contender = {
    .name = "TCP",
    .settings = "loopback, TCP_NODELAY, a connection per sender and receiver, buffers of 256 KiB "
                "or 4 messages; a receiver of several senders polls",
    LANES(make, .per_sender = true),
};
