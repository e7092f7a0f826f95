/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * life.c - a controller ends with its coordinator, however that ends
 *
 * The coordinator has a FIFO open for writing. Each process of a controller opens it for reading
 * and asks the kernel for SIGKILL when something happens to it. Nobody writes to it: what happens
 * is that its last writer is gone. That needs no process that could be killed as well.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../board.h"
#include "sink.h"

#define HIGH 500 /* out of the way of programs that expect small numbers */

static bool good(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && (st.st_uid == geteuid() || !st.st_uid);
}

static bool ask_for_end(int fd)
{
    return fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETSIG, SIGKILL) == 0 &&
           fcntl(fd, F_SETFL, O_RDONLY | O_NONBLOCK | O_ASYNC) == 0;
}

void achi_sink_tie(struct achi_sim_process *p)
{
    char path[PATH_MAX];
    int fd, high;

    if (p->life > 0)
        syscall(SYS_close, p->life); /* a parent's */
    p->life = 0;
    if (!achi_sim_path(p->name, "life", path))
        return;
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
    if (high >= 0) {
        syscall(SYS_close, fd);
        fd = high;
    }
    if (good(fd) && ask_for_end(fd))
        p->life = fd;
    else
        syscall(SYS_close, fd);
}
