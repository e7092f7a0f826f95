/* SPDX-License-Identifier: BSD-3-Clause */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

void streams_init(void)
{
    int fd;

    for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

/* Why an earlier write failed, as far as that can still be found out. */
static int late_reason(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO};

    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) ? EPIPE : EIO;
}

bool streams_finish(void)
{
    errno = 0;
    if (fflush(stdout) != 0 && errno != 0)
        return false;
    if (!ferror(stdout))
        return true;
    errno = late_reason();
    return false;
}
