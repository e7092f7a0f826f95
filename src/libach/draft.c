/* SPDX-License-Identifier: BSD-3-Clause */
#include "draft.h"

#include <ctype.h>
#include <dirent.h>
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

#include "handle.h"
#include "name.h"

#define NAME_TRIES 100
#define FOREIGN_MAX 16

/* What is reserved at a time if signals come: older kernels begin anew at each. */
#define PIECE (4u << 20)

/* All at once first: then the kernel sees whether there is so much. */
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

int achi_draft_reserve(const struct draft *d, uint64_t size)
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

int achi_high_fd(int fd)
{
    int high, saved;

    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    saved = errno;
    close(fd);
    errno = saved;
    return high;
}

/* A name for a file that waits to take a channel's place. */
static void temporary_name(char path[PATH_MAX], const char *name)
{
    static uint32_t count;
    uint32_t none = 0, first;

    /* Another process may have the same number, in another namespace. */
    if (__atomic_load_n(&count, __ATOMIC_RELAXED) == 0 &&
        getrandom(&first, sizeof(first), GRND_NONBLOCK) == sizeof(first))
        __atomic_compare_exchange_n(&count, &none, first, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    snprintf(path, PATH_MAX, "%s/.%s%s.%ld.%u", achi_name_dir(), ACHI_FILE_PREFIX, name,
             (long)getpid(), __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
}

/* The part of a temporary name that follows the channel's name: two numbers. */
static bool temporary_tail(const char *s)
{
    int dots = 0;

    if (*s != '.') /* another channel's, with a longer name */
        return false;
    for (; *s; s++) {
        if (*s == '.')
            dots++;
        else if (!isdigit((unsigned char)*s))
            return false;
    }
    return dots == 2;
}

/*
 * A maker holds a lock on its file as long as it lives; a file without a lock is
 * what somebody replaced, and its users may not have been told yet. What has two
 * names was given the channel's, and its maker died before it removed this one.
 */
static bool sweep_file(int dir, const char *name, const char *channel)
{
    char path[PATH_MAX];
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | ACHI_OPEN_FLAGS);
    bool gone = false;

    if (fd < 0)
        return errno == ENOENT;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        snprintf(path, sizeof(path), "%s/%s", achi_name_dir(), name);
        if (fstat(fd, &st) == 0 && (st.st_nlink > 1 || achi_shm_replaced(channel, path)))
            gone = unlink(path) == 0;
        flock(fd, LOCK_UN); /* a child of fork may have the descriptor too */
    }
    close(fd);
    return gone;
}

/* The user whose channel has the name, or who calls. */
static uid_t owner_of(const char *name)
{
    char path[PATH_MAX];
    struct stat st;

    if (achi_name_path(name, path) == ACH_OK && lstat(path, &st) == 0)
        return st.st_uid;
    return geteuid();
}

static bool is_foreign(int dir, const char *file, uid_t owner)
{
    struct stat st;

    return fstatat(dir, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid != owner &&
           st.st_uid != geteuid();
}

/*
 * Anybody can make files of such a name in a directory for all, and lock them or keep them from
 * being read or removed. So other users' files are tried, a few of them, and not come back to.
 */
bool achi_draft_sweep(const char *name)
{
    char prefix[ACH_CHAN_NAME_MAX + 16];
    size_t len = (size_t)snprintf(prefix, sizeof(prefix), ".%s%s", ACHI_FILE_PREFIX, name);
    const uid_t owner = owner_of(name);
    DIR *dir = opendir(achi_name_dir());
    const struct dirent *e;
    bool clean = true;
    int foreign = 0;

    if (!dir)
        return false;
    while ((e = readdir(dir)) != NULL) {
        if (strncmp(e->d_name, prefix, len) != 0 || !temporary_tail(e->d_name + len))
            continue;
        if (!is_foreign(dirfd(dir), e->d_name, owner))
            clean &= sweep_file(dirfd(dir), e->d_name, name);
        else if (foreign++ < FOREIGN_MAX)
            sweep_file(dirfd(dir), e->d_name, name);
    }
    closedir(dir);
    return clean;
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

/* A file with a name, for file systems without nameless ones. */
static int open_named(struct draft *d, const char *name, mode_t mode)
{
    struct stat st;
    int tries;

    achi_draft_sweep(name);
    for (tries = 0; tries < NAME_TRIES; tries++) {
        temporary_name(d->path, name);
        d->fd = achi_high_fd(open(d->path, O_CREAT | O_EXCL | O_RDWR | ACHI_OPEN_FLAGS, mode));
        if (d->fd < 0 && errno != EEXIST)
            break;
        if (d->fd < 0)
            continue;
        if (flock(d->fd, LOCK_EX | LOCK_NB) == 0 && fstat(d->fd, &st) == 0 && st.st_nlink > 0)
            return 0;
        close(d->fd); /* somebody swept it before it was locked */
    }
    d->path[0] = '\0';
    return -1;
}

int achi_draft_open(struct draft *d, const char *name, mode_t mode)
{
    d->path[0] = '\0';
    d->fd = achi_high_fd(open(achi_name_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    if (d->fd >= 0) {
        flock(d->fd, LOCK_EX | LOCK_NB); /* with achi_draft_sweep, should it get a name later */
        return 0;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return -1;
    return open_named(d, name, mode);
}

void achi_draft_unname(struct draft *d)
{
    if (d->path[0])
        unlink(d->path);
    d->path[0] = '\0';
}

void achi_draft_close(struct draft *d)
{
    int saved = errno;

    achi_draft_unname(d);
    flock(d->fd, LOCK_UN); /* a child of fork may have the descriptor too */
    close(d->fd);
    errno = saved;
}

int achi_draft_publish(struct draft *d, const char *path)
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
static int name_it(struct draft *d, const char *name)
{
    int tries;

    achi_draft_sweep(name);
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

int achi_draft_replace(struct draft *d, const char *name, const char *path)
{
    if (!d->path[0] && name_it(d, name) != 0)
        return -1;
    if (renameat2(AT_FDCWD, d->path, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) /* a file system that cannot */
        return -1;
    if (rename(d->path, path) != 0)
        return -1;
    d->path[0] = '\0';
    return 0;
}
