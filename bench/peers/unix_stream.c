/* SPDX-License-Identifier: BSD-3-Clause */
/* unix_stream.c - connected Unix sockets, a pair for each sender and receiver */
#include <sys/socket.h>

#include "kernel.h"
#include "lanes.h"

static bool make(const struct lanes *l, unsigned index, int fd[2])
{
    (void)index;
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0 &&
           lane_buffers(fd[LANE_OUT], l->job.size);
}

static void *setup(const struct job *job)
{
    return lanes_create(job, true, make);
}

const struct contender unix_stream_contender = {
    .name = "Unix stream",
    .source = __FILE__ " lanes.c",
    .kind = KIND_KERNEL,
    .settings = "a socket pair per sender and receiver, buffers of 256 KiB or 4 messages; "
                "a receiver of several senders polls",
    .modes = MODE_BLOCK | MODE_POLL | MODE_SPIN,
    .setup = setup,
    LANES_FUNCTIONS,
};
