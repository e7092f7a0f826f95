/* SPDX-License-Identifier: BSD-3-Clause */
/* unix_datagram.c - a pair of Unix datagram sockets to each receiver, that all senders write to */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "built_in.h"
#include "lanes.h"

/* The buffer's limit is not the only one: the kernel wants much of a datagram in one piece. */
static bool fits(const int fd[2], size_t size)
{
    void *message = calloc(1, size);
    bool ok = message && write(fd[LANE_OUT], message, size) == (ssize_t)size &&
              read(fd[LANE_IN], message, size) == (ssize_t)size;
    int error = errno;

    free(message);
    errno = error;
    return ok;
}

static bool make(const struct link *l, int fd[2])
{
    return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fd) == 0 &&
           lane_buffers(fd[LANE_OUT], l->size) && fits(fd, l->size);
}

const struct contender unix_datagram_contender = {
    .name = "Unix datagram",
    .settings = "a socket pair per receiver, buffers of 256 KiB or 4 messages",
    LANES(make),
};
