/* SPDX-License-Identifier: BSD-3-Clause */
/* pipe.c - a pipe to each receiver, that all senders write to */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "built_in.h"
#include "lanes.h"

#define PIPE_SIZE (1024 * 1024)

static bool make(const struct link *l, int fd[2])
{
    int ends[2];

    (void)l;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fd[LANE_IN] = ends[0];
    fd[LANE_OUT] = ends[1];
    fcntl(fd[LANE_OUT], F_SETPIPE_SZ, PIPE_SIZE);
    return true;
}

const struct contender pipe_contender = {
    .name = "pipe",
    .settings = "one pipe per receiver, of 1 MiB where allowed; written to one after the other",
    LANES(make, .whole_max = PIPE_BUF),
};
