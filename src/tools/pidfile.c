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

/* Room for a process id, a newline and an end. */
#define PID_TEXT 16

/* Is the open file still the one of that name? Somebody may have removed it. */
static bool still_named(int fd, const char *path)
{
    struct stat a, b;

    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static void complain_of_owner(int fd, const char *path)
{
    char text[PID_TEXT] = "";
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;

    if (pid > 0)
        tool_complain("another one runs already: '%s' is locked, process %ld", path, pid);
    else
        tool_complain("another one runs already: '%s' is locked", path);
}

/* Asked before it is opened: with some devices that alone has an effect. */
static bool other_than_regular(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A file with more in it belongs to somebody else. */
static bool holds_pid_at_most(int fd)
{
    char text[PID_TEXT + 1] = "";
    ssize_t n = pread(fd, text, PID_TEXT, 0);

    return n >= 0 && n < PID_TEXT && strspn(text, "0123456789\n") == (size_t)n;
}

static int open_locked(const char *path)
{
    for (;;) {
        int fd;

        if (other_than_regular(path)) {
            tool_complain("'%s' cannot be a pid file: it is no regular file", path);
            return -1;
        }
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
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
    if (!holds_pid_at_most(f->fd)) {
        tool_complain("'%s' is no pid file: it holds something else", path);
        close(f->fd);
        return false;
    }
    f->path = realpath(path, NULL);
    if (f->path)
        return pidfile_set(f, 0);
    tool_complain("cannot write the pid file '%s': %s", path, strerror(errno));
    close(f->fd);
    return false;
}

bool pidfile_is(const struct pidfile *f, const char *path)
{
    return f->path && still_named(f->fd, path);
}

bool pidfile_set(struct pidfile *f, pid_t pid)
{
    char text[PID_TEXT];
    int n = pid ? snprintf(text, sizeof(text), "%d\n", (int)pid) : 0;

    if (!f->path || (pwrite(f->fd, text, (size_t)n, 0) == n && ftruncate(f->fd, n) == 0))
        return true;
    tool_complain("cannot write the pid file '%s': %s", f->path, strerror(errno));
    return false;
}

void pidfile_finish(struct pidfile *f)
{
    if (!f->path)
        return;
    if (still_named(f->fd, f->path))
        unlink(f->path);
    close(f->fd);
    free(f->path);
    f->path = NULL;
}
