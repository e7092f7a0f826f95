/* SPDX-License-Identifier: BSD-3-Clause */
/* unix_stream.c - connected Unix sockets, a pair for each sender and receiver */
#include <sys/socket.h>

#include "built_in.h"
#include "lanes.h"

static bool make(const struct link *l, int fd[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0 &&
           lane_buffers(fd[LANE_OUT], l->size);
}

const struct contender unix_stream_contender = {
    .name = "Unix stream",
    .settings = "a socket pair per sender and receiver, buffers of 256 KiB or 4 messages; "
                "a receiver of several senders polls",
    LANES(make, .per_sender = true),
};
