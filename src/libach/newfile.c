/* SPDX-License-Identifier: BSD-3-Clause */
#include "newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "handle.h"
#include "name.h"

#define NAME_TRIES 100

/* Bytes of one fallocate after EINTR: in older kernels the call starts over after each signal. */
#define PIECE (4u << 20)

/* All in one call first: then the kernel can check at once that there is enough memory. */
static int reserve(int fd, uint64_t size)
{
    uint64_t at, n = size;

    for (at = 0; at < size;) {
        if (n > size - at)
            n = size - at;
        if (fallocate(fd, 0, (off_t)at, (off_t)n) == 0)
            at += n;
        else if (errno == EINTR)
            n = PIECE;
        else
            return -1;
    }
    return 0;
}

int achi_newfile_reserve(const struct newfile *d, uint64_t size)
{
    struct rlimit limit;

    /* Going over this limit would kill us with SIGXFSZ. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) {
        errno = EFBIG;
        return -1;
    }
    if (reserve(d->fd, size) == 0)
        return 0;
    if (errno != EOPNOTSUPP)
        return -1;
    errno = posix_fallocate(d->fd, 0, (off_t)size);
    return errno ? -1 : 0;
}

/* A temporary name for a new file of this channel. */
static void temporary_name(char path[PATH_MAX], const char *name)
{
    static uint32_t count;
    uint32_t none = 0, first;

    /* Random first count: a process in another PID namespace may have the same pid. */
    if (__atomic_load_n(&count, __ATOMIC_RELAXED) == 0 &&
        getrandom(&first, sizeof(first), GRND_NONBLOCK) == sizeof(first))
        __atomic_compare_exchange_n(&count, &none, first, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    snprintf(path, PATH_MAX, "%s/.%s%s.%ld.%u", achi_name_dir(), ACHI_FILE_PREFIX, name,
             (long)getpid(), __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
}

static int link_file(int fd, const char *path)
{
    char self[64];

    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (errno != ENOENT) /* ENOENT: no /proc */
        return -1;
    return linkat(fd, "", AT_FDCWD, path, AT_EMPTY_PATH);
}

/* A draft with a name, for file systems without O_TMPFILE. */
static int open_named(struct newfile *d, const char *name, mode_t mode)
{
    struct stat st;
    int tries;

    for (tries = 0; tries < NAME_TRIES; tries++) {
        temporary_name(d->path, name);
        d->fd = achi_high_fd(open(d->path, O_CREAT | O_EXCL | O_RDWR | ACHI_OPEN_FLAGS, mode));
        if (d->fd < 0 && errno != EEXIST)
            break;
        if (d->fd < 0)
            continue;
        if (flock(d->fd, LOCK_EX | LOCK_NB) == 0 && fstat(d->fd, &st) == 0 && st.st_nlink > 0)
            return 0;
        close(d->fd); /* achi_sweep removed it before it was locked */
    }
    d->path[0] = '\0';
    return -1;
}

int achi_newfile_open(struct newfile *d, const char *name, mode_t mode)
{
    d->path[0] = '\0';
    d->fd = achi_high_fd(open(achi_name_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    if (d->fd >= 0) {
        flock(d->fd, LOCK_EX | LOCK_NB); /* keeps achi_sweep away if it gets a name later */
        return 0;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return -1;
    return open_named(d, name, mode);
}

void achi_newfile_unname(struct newfile *d)
{
    if (d->path[0])
        unlink(d->path);
    d->path[0] = '\0';
}

void achi_newfile_close(struct newfile *d)
{
    int saved = errno;

    achi_newfile_unname(d);
    flock(d->fd, LOCK_UN); /* a child of fork may have the descriptor too */
    close(d->fd);
    errno = saved;
}

int achi_newfile_publish(struct newfile *d, const char *path)
{
    if (!d->path[0])
        return link_file(d->fd, path);
    if (link(d->path, path) != 0)
        return -1;
    unlink(d->path);
    d->path[0] = '\0';
    return 0;
}

/* Give a nameless file a temporary name. */
static int name_it(struct newfile *d, const char *name)
{
    int tries;

    for (tries = 0; tries < NAME_TRIES; tries++) {
        temporary_name(d->path, name);
        if (link_file(d->fd, d->path) == 0)
            return 0;
        if (errno != EEXIST) /* a maker in another PID namespace may have the same numbers */
            break;
    }
    d->path[0] = '\0';
    return -1;
}

int achi_newfile_replace(struct newfile *d, const char *name, const char *path)
{
    if (!d->path[0] && name_it(d, name) != 0)
        return -1;
    if (renameat2(AT_FDCWD, d->path, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) /* else: no RENAME_EXCHANGE here */
        return -1;
    if (rename(d->path, path) != 0)
        return -1;
    d->path[0] = '\0';
    return 0;
}
