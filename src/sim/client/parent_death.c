/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parent_death.c - the kernel kills a controller when its coordinator exits, for whatever reason
 *
 * The coordinator has a FIFO open for writing. Each process of a controller opens it for reading,
 * with O_ASYNC and SIGKILL as its signal. Nothing is ever written: the only event is that the last
 * writer closes it. This needs no helper process that could be killed as well.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../board.h"
#include "sink.h"

#define HIGH 500 /* lowest descriptor: programs may expect small numbers for theirs */

static bool parent_death_good(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && (st.st_uid == geteuid() || !st.st_uid);
}

static bool ask_for_end(int fd)
{
    return fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETSIG, SIGKILL) == 0 &&
           fcntl(fd, F_SETFL, O_RDONLY | O_NONBLOCK | O_ASYNC) == 0;
}

void simc_sink_tie(struct simc_process *p)
{
    char path[PATH_MAX];
    int fd, high;

    if (p->life > 0)
        syscall(SYS_close, p->life); /* inherited from the parent by fork */
    p->life = 0;
    if (!sim_path(p->name, "life", path))
        return;
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
    if (high >= 0) {
        syscall(SYS_close, fd);
        fd = high;
    }
    if (parent_death_good(fd) && ask_for_end(fd))
        p->life = fd;
    else
        syscall(SYS_close, fd);
}
