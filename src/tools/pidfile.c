/* SPDX-License-Identifier: BSD-3-Clause */
#include "pidfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

/* Is the open file still the one of that name? Its last owner may just have removed it. */
static bool still_named(int fd, const char *path)
{
    struct stat a, b;

    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static void complain_of_owner(int fd, const char *path)
{
    char text[16] = "";
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;

    if (pid > 0)
        tool_complain("another one runs already: '%s' is locked, process %ld", path, pid);
    else
        tool_complain("another one runs already: '%s' is locked", path);
}

static int open_locked(const char *path)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

        if (fd < 0) {
            tool_complain("cannot write the pid file '%s': %s", path, strerror(errno));
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK)
                complain_of_owner(fd, path);
            else
                tool_complain("cannot lock the pid file '%s': %s", path, strerror(errno));
            close(fd);
            return -1;
        }
        if (still_named(fd, path))
            return fd;
        close(fd);
    }
}

bool pidfile_init(struct pidfile *f, const char *path)
{
    f->path = NULL;
    f->fd = -1;
    if (!path)
        return true;
    f->fd = open_locked(path);
    if (f->fd < 0)
        return false;
    f->path = realpath(path, NULL);
    if (!f->path) {
        close(f->fd);
        tool_complain("cannot write the pid file '%s': %s", path, strerror(errno));
        return false;
    }
    pidfile_set(f, 0);
    return true;
}

bool pidfile_is(const struct pidfile *f, const char *path)
{
    return f->path && still_named(f->fd, path);
}

void pidfile_set(struct pidfile *f, pid_t pid)
{
    char text[16];
    int n = pid ? snprintf(text, sizeof(text), "%d\n", (int)pid) : 0;

    if (!f->path)
        return;
    if (pwrite(f->fd, text, (size_t)n, 0) != n || ftruncate(f->fd, n) != 0)
        tool_complain("cannot write the pid file '%s': %s", f->path, strerror(errno));
}

void pidfile_finish(struct pidfile *f)
{
    if (!f->path)
        return;
    unlink(f->path);
    close(f->fd);
    free(f->path);
    f->path = NULL;
}
