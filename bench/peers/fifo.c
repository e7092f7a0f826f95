/* SPDX-License-Identifier: BSD-3-Clause */
/* fifo.c - a named FIFO to each receiver, that all senders write to */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "built_in.h"
#include "lanes.h"

#define PIPE_SIZE (1024 * 1024)

/* The end to read from comes first: without it, opening the other would wait. */
static bool make(const struct link *l, int fd[2])
{
    char path[32];

    snprintf(path, sizeof(path), "fifo-%u", l->id);
    if (mkfifo(path, 0600) != 0)
        return false;
    fd[LANE_IN] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd[LANE_IN] >= 0)
        fd[LANE_OUT] = open(path, O_WRONLY | O_CLOEXEC);
    unlink(path);
    fcntl(fd[LANE_OUT], F_SETPIPE_SZ, PIPE_SIZE);
    return fd[LANE_OUT] >= 0 && fcntl(fd[LANE_IN], F_SETFL, 0) == 0;
}

const struct contender fifo_contender = {
    .name = "FIFO",
    .settings = "one FIFO per receiver, of 1 MiB where allowed; written to one after the other",
    LANES(make, .whole_max = PIPE_BUF),
};
