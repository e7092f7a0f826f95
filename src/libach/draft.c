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
#include <sys/resource.h>
#include <unistd.h>

#include "name.h"

#define OPEN_FLAGS (O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
#define MODE 0666
#define NAME_TRIES 100

int achi_draft_reserve(const struct draft *d, uint64_t size)
{
    struct rlimit limit;

    /* Going over this limit would kill us with SIGXFSZ. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) {
        errno = EFBIG;
        return -1;
    }
    do {
        if (fallocate(d->fd, 0, 0, (off_t)size) == 0)
            return 0;
    } while (errno == EINTR);
    if (errno != EOPNOTSUPP)
        return -1;
    errno = posix_fallocate(d->fd, 0, (off_t)size);
    return errno ? -1 : 0;
}

/* A name for a file that waits to take a channel's place. */
static void temporary_name(char path[PATH_MAX], const char *name)
{
    static uint32_t count;

    snprintf(path, PATH_MAX, "%s/.%s%s.%ld.%u", achi_name_dir(), ACHI_FILE_PREFIX, name,
             (long)getpid(), __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
}

/* The part of a temporary name that follows the channel's name: two numbers. */
static bool temporary_tail(const char *s)
{
    int dots = 0;

    for (; *s; s++) {
        if (*s == '.')
            dots++;
        else if (!isdigit((unsigned char)*s))
            return false;
    }
    return dots == 2;
}

/*
 * Remove the temporary files of makers that died before they could rename
 * them. A maker holds a lock on its file as long as it lives.
 */
static void sweep(const char *name)
{
    char prefix[ACH_CHAN_NAME_MAX + 16];
    size_t len = (size_t)snprintf(prefix, sizeof(prefix), ".%s%s", ACHI_FILE_PREFIX, name);
    DIR *dir = opendir(achi_name_dir());
    const struct dirent *e;

    if (!dir)
        return;
    while ((e = readdir(dir)) != NULL) {
        int fd;

        if (strncmp(e->d_name, prefix, len) != 0 || !temporary_tail(e->d_name + len))
            continue;
        fd = openat(dirfd(dir), e->d_name, O_RDONLY | OPEN_FLAGS);
        if (fd < 0)
            continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(dir), e->d_name, 0);
        close(fd);
    }
    closedir(dir);
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

int achi_draft_open(struct draft *d, const char *name)
{
    d->path[0] = '\0';
    d->fd = open(achi_name_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
    if (d->fd < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return -1;
    if (d->fd < 0) {
        sweep(name);
        temporary_name(d->path, name);
        d->fd = open(d->path, O_CREAT | O_EXCL | O_RDWR | OPEN_FLAGS, MODE);
    }
    if (d->fd >= 0)
        flock(d->fd, LOCK_EX | LOCK_NB); /* with sweep */
    return d->fd < 0 ? -1 : 0;
}

void achi_draft_close(struct draft *d)
{
    int saved = errno;

    if (d->path[0])
        unlink(d->path);
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

int achi_draft_replace(struct draft *d, const char *name, const char *path)
{
    if (!d->path[0]) {
        int tries = 0, failed;

        sweep(name);
        do { /* a maker in another PID namespace may have the same numbers */
            temporary_name(d->path, name);
            failed = link_file(d->fd, d->path);
        } while (failed && errno == EEXIST && ++tries < NAME_TRIES);
        if (failed) {
            d->path[0] = '\0';
            return -1;
        }
    }
    /* In exchange the temporary name is left with exactly the file that was replaced. */
    if (renameat2(AT_FDCWD, d->path, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return 0;
    if (errno != ENOENT && errno != EINVAL && errno != ENOSYS)
        return -1;
    if (rename(d->path, path) != 0)
        return -1;
    d->path[0] = '\0';
    return 0;
}
