/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - TCP over loopback, a connection for each sender and receiver */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel.h"
#include "lanes.h"

static int tcp_socket(size_t size)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    if (fd < 0)
        return -1;
    if (lane_buffers(fd, size) && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool connect_both(int listener, int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr *address = (struct sockaddr *)&at;
    socklen_t length = sizeof(at);

    if (bind(listener, address, length) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, address, &length) != 0 || connect(fd[LANE_OUT], address, length) != 0)
        return false;
    fd[LANE_IN] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    return fd[LANE_IN] >= 0;
}

static bool make(const struct lanes *l, unsigned index, int fd[2])
{
    int listener = tcp_socket(l->job.size);
    bool ok;

    (void)index;
    if (listener < 0)
        return false;
    fd[LANE_OUT] = tcp_socket(l->job.size);
    ok = fd[LANE_OUT] >= 0 && connect_both(listener, fd);
    close(listener);
    return ok;
}

static void *setup(const struct job *job)
{
    return lanes_create(job, true, make);
}

const struct contender tcp_contender = {
    .name = "TCP",
    .source = __FILE__ " lanes.c",
    .kind = KIND_KERNEL,
    .settings = "loopback, TCP_NODELAY, a connection per sender and receiver, buffers of 256 KiB "
                "or 4 messages; a receiver of several senders polls",
    .modes = MODE_BLOCK | MODE_POLL | MODE_SPIN,
    .setup = setup,
    LANES_FUNCTIONS,
};
