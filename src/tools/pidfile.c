/* SPDX-License-Identifier: BSD-3-Clause */
#include "pidfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "filelock.h"

/* Room for a process id, a newline and an end. */
#define PID_TEXT 16

/* Limits the retries while other processes create and remove the file. */
#define TRIES 1000
#define AGAIN (-2)

/* Does the path still name the open file? Another process may have removed it. */
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
        tool_complain("another achcop is running: '%s' is locked, process %ld", path, pid);
    else
        tool_complain("another achcop is running: '%s' is locked", path);
}

/* Check before opening: opening some devices has side effects. */
static bool other_than_regular(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A file with any other content is no pid file. */
static bool holds_pid_at_most(int fd)
{
    char text[PID_TEXT + 1] = "";
    ssize_t n = pread(fd, text, PID_TEXT, 0);

    return n >= 0 && n < PID_TEXT && strspn(text, "0123456789\n") == (size_t)n;
}

/* Another owner, or a user of another hard link, could write the pid of any process. */
static bool is_ours(int fd, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) != 0 || st.st_uid != geteuid())
        tool_complain("'%s' cannot be a pid file: it belongs to another user", path);
    else if (st.st_nlink > 1)
        tool_complain("'%s' cannot be a pid file: it has other hard links", path);
    else
        return true;
    return false;
}

/* A new file has mode 0600 until it is locked. Returns -1 after complaining, or AGAIN: retry. */
static int pidfile_open_file(const char *path, bool *made)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    *made = fd >= 0;
    if (fd < 0 && errno == EEXIST) {
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0 && errno == ENOENT)
            return AGAIN;
    }
    if (fd < 0)
        tool_complain("cannot write the pid file '%s': %s", path, strerror(errno));
    return fd;
}

static void let_all_read(int fd)
{
    mode_t mask = umask(0);

    umask(mask);
    fchmod(fd, 0644 & ~mask);
}

/* The lock holder can only read the file, so it is not the owner: unlink the file and retry. */
static bool replace(int fd, const char *path)
{
    if (!holds_pid_at_most(fd)) {
        tool_complain("'%s' is not a pid file: it contains something other than a process id",
                      path);
        return false;
    }
    if (still_named(fd, path) && unlink(path) != 0) {
        tool_complain("a process that reads the pid file '%s' has locked it, and it cannot be "
                      "replaced: %s",
                      path, strerror(errno));
        return false;
    }
    return true;
}

/* False: give up. *taken: we hold the lock, and the path still names the file. */
static bool try_lock(int fd, const char *path, bool *taken)
{
    switch (filelock_take(fd)) {
    case FILELOCK_TAKEN:
        *taken = still_named(fd, path);
        return true;
    case FILELOCK_READER:
        return replace(fd, path);
    case FILELOCK_WRITER:
        complain_of_owner(fd, path);
        return false;
    default:
        tool_complain("cannot lock the pid file '%s': %s", path, strerror(errno));
        return false;
    }
}

static int open_locked(const char *path)
{
    bool made, taken = false;
    int tries;

    for (tries = 0; tries < TRIES; tries++) {
        int fd;

        if (other_than_regular(path)) {
            tool_complain("'%s' cannot be a pid file: it is not a regular file", path);
            return -1;
        }
        fd = pidfile_open_file(path, &made);
        if (fd == AGAIN)
            continue;
        if (fd < 0)
            return -1;
        if (!is_ours(fd, path) || !try_lock(fd, path, &taken)) {
            close(fd);
            return -1;
        }
        if (taken && made)
            let_all_read(fd);
        if (taken)
            return fd;
        close(fd);
    }
    tool_complain("cannot lock the pid file '%s': other processes keep replacing it", path);
    return -1;
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
        tool_complain("'%s' is not a pid file: it contains something other than a process id",
                      path);
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
