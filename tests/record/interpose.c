/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose.c - a library for LD_PRELOAD that changes the wall clock and the disk
 *
 * The size of the file CLOCK_STEP, in seconds, is added to the wall clock. Each fdatasync adds a byte to the file SYNCED and
 * waits while the file SYNC_BLOCK exists, and fails while the file SYNC_FAIL exists.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static off_t interpose_size(const char *variable)
{
    const char *path = getenv(variable);
    struct stat st;

    return path && stat(path, &st) == 0 ? st.st_size : -1;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    off_t step = interpose_size("CLOCK_STEP");
    int r = (int)syscall(SYS_clock_gettime, clock, t);

    if (r == 0 && clock == CLOCK_REALTIME && step > 0)
        t->tv_sec += step;
    return r;
}

int fdatasync(int fd)
{
    const char *path = getenv("SYNCED");
    int synced = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    int r = (int)syscall(SYS_fdatasync, fd);

    if (synced >= 0 && write(synced, "", 1) != 1)
        abort();
    if (synced >= 0)
        close(synced);
    while (interpose_size("SYNC_BLOCK") >= 0)
        usleep(1000);
    if (interpose_size("SYNC_FAIL") < 0)
        return r;
    errno = EIO;
    return -1;
}
