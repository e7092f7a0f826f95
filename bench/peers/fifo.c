/* SPDX-License-Identifier: BSD-3-Clause */
/* fifo.c - a named FIFO to each receiver, that all senders write to */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "lanes.h"
#include "setup.h"

#define PIPE_SIZE (1024 * 1024)

/* The end to read from comes first: without it, opening the other would wait. */
static bool open_both(const char *path, int fd[2])
{
    fd[LANE_IN] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd[LANE_IN] < 0)
        return false;
    fd[LANE_OUT] = open(path, O_WRONLY | O_CLOEXEC);
    return fd[LANE_OUT] >= 0 && fcntl(fd[LANE_IN], F_SETFL, 0) == 0;
}

static bool make(const struct lanes *l, unsigned index, int fd[2])
{
    char path[PATH_MAX];
    bool ok;

    snprintf(path, sizeof(path), "%s/fifo-%u-%u", l->job.dir, l->job.id, index);
    if (mkfifo(path, 0600) != 0)
        return false;
    ok = open_both(path, fd);
    unlink(path);
    if (ok)
        fcntl(fd[LANE_OUT], F_SETPIPE_SZ, PIPE_SIZE);
    return ok;
}

static void *setup(const struct job *job)
{
    if (job->senders > 1 && job->size > PIPE_BUF)
        return refuse(job, "messages of several senders over %d bytes mix", PIPE_BUF);
    return lanes_create(job, false, make);
}

const struct contender fifo_contender = {
    .name = "FIFO",
    .source = __FILE__ " lanes.c",
    .kind = KIND_KERNEL,
    .settings = "one FIFO per receiver, of 1 MiB where allowed; written to one after the other",
    .modes = MODE_BLOCK | MODE_POLL | MODE_SPIN,
    .setup = setup,
    LANES_FUNCTIONS,
};
