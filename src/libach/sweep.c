/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "handle.h"
#include "name.h"

#define FOREIGN_MAX 16

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
 * A maker holds a lock on its file as long as it lives. A file without a lock
 * was abandoned by its maker, or was replaced, and its users may not have been
 * notified yet. A file with two names also has the channel's name, and its maker
 * died before it removed this one.
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

/* The owner of the channel that has the name; the caller if there is none. */
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
 * In a world-writable directory any user can create files of such a name, and lock them or
 * prevent that they are read or removed. So of other users' files at most FOREIGN_MAX are
 * tried, once each, and failures are ignored.
 */
bool achi_sweep(const char *name)
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
