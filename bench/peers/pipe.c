/* SPDX-License-Identifier: BSD-3-Clause */
/* pipe.c - a pipe to each receiver, that all senders write to */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "kernel.h"
#include "lanes.h"
#include "setup.h"

#define PIPE_SIZE (1024 * 1024)

static bool make(const struct lanes *l, unsigned index, int fd[2])
{
    int ends[2];

    (void)l;
    (void)index;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fd[LANE_IN] = ends[0];
    fd[LANE_OUT] = ends[1];
    fcntl(fd[LANE_OUT], F_SETPIPE_SZ, PIPE_SIZE);
    return true;
}

static void *setup(const struct job *job)
{
    if (job->senders > 1 && job->size > PIPE_BUF)
        return refuse(job, "messages of several senders over %d bytes mix", PIPE_BUF);
    return lanes_create(job, false, make);
}

const struct contender pipe_contender = {
    .name = "pipe",
    .source = __FILE__ " lanes.c",
    .kind = KIND_KERNEL,
    .settings = "one pipe per receiver, of 1 MiB where allowed; written to one after the other",
    .modes = MODE_BLOCK | MODE_POLL | MODE_SPIN,
    .setup = setup,
    LANES_FUNCTIONS,
};
