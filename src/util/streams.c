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

/* The errno of the first failed write; 0: none failed, or it was not checked. */
static int reason;

/* The errno of an earlier failed write, as far as that can still be found out. */
static int late_reason(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO};

    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) ? EPIPE : EIO;
}

bool streams_ok(void)
{
    if (ferror(stdout) && reason == 0)
        reason = errno ? errno : late_reason();
    return reason == 0;
}

bool streams_flush(void)
{
    int before = errno;

    if (!streams_ok())
        return false;
    errno = 0;
    if (fflush(stdout) != 0)
        reason = errno ? errno : late_reason();
    errno = before;
    return reason == 0;
}

bool streams_finish(void)
{
    if (ferror(stdout) && reason == 0) {
        errno = 0;
        reason = fflush(stdout) != 0 && errno != 0 ? errno : late_reason();
    }
    if (streams_flush())
        return true;
    errno = reason;
    return false;
}
