/* SPDX-License-Identifier: BSD-3-Clause */
#include "advertised.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ach_status mark_path(const char *name, char path[PATH_MAX])
{
    char channel[PATH_MAX];
    enum ach_status r = ach_channel_path(name, channel, sizeof(channel));
    char *file = r == ACH_OK ? strrchr(channel, '/') : NULL;

    if (!file)
        return r;
    *file++ = '\0';
    if (snprintf(path, PATH_MAX, "%s/.%s.adv", channel, file) >= PATH_MAX)
        return ach_errstr_set(ACH_OVERFLOW, "the path of the channels is too long");
    return ACH_OK;
}

static enum ach_status mark_owner(const char *name, uid_t *owner)
{
    ach_channel_t chan;
    ach_info_t info;
    ach_attr_t attr;
    enum ach_status r;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    r = ach_open(&chan, name, &attr);
    if (r != ACH_OK)
        return r;
    r = ach_channel_info(&chan, &info);
    *owner = info.uid;
    ach_close(&chan);
    return r;
}

static bool mark_counts(const char *path, uid_t owner)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == owner || st.st_uid == 0);
}

static int mark_open(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

static enum ach_status mark_failed(const char *path)
{
    int error = errno;
    struct stat st;

    if (lstat(path, &st) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot create %s: %s", path, strerror(error));
    return ach_errstr_set(ACH_EACCES,
                          "%s is in the way and cannot be removed: it belongs to user %u", path,
                          (unsigned)st.st_uid);
}

/*
 * A file that is no mark is replaced: other users may create files here. Root gives the mark to the
 * channel's owner, who can then remove it.
 */
static enum ach_status mark_create(const char *path, uid_t owner)
{
    int fd = mark_open(path);

    if (fd < 0 && errno == EEXIST && mark_counts(path, owner))
        return ACH_OK;
    if (fd < 0 && errno == EEXIST && remove(path) == 0)
        fd = mark_open(path);
    if (fd < 0)
        return mark_failed(path);
    if (geteuid() == 0 && owner != 0 && fchown(fd, owner, (gid_t)-1) != 0)
        errno = 0; /* root's mark counts as well */
    close(fd);
    return ACH_OK;
}

enum ach_status advertised_set(const char *name)
{
    char path[PATH_MAX];
    uid_t owner;
    enum ach_status r = mark_path(name, path);

    if (r == ACH_OK)
        r = mark_owner(name, &owner);
    if (r != ACH_OK)
        return r;
    if (geteuid() != 0 && geteuid() != owner)
        return ach_errstr_set(ACH_EACCES, "only its owner and root can advertise the channel '%s'",
                              name);
    return mark_create(path, owner);
}

enum ach_status advertised_clear(const char *name)
{
    char path[PATH_MAX];
    enum ach_status r = mark_path(name, path);

    if (r != ACH_OK || unlink(path) == 0)
        return r;
    if (errno == ENOENT)
        return ach_errstr_set(ACH_ENOENT, "the channel '%s' is not advertised", name);
    return ach_errstr_set(ACH_EACCES, "cannot remove %s: %s", path, strerror(errno));
}

/* Most channels have no mark: look for it before the channel is opened. */
bool advertised_get(const char *name)
{
    char path[PATH_MAX];
    uid_t owner;

    return mark_path(name, path) == ACH_OK && access(path, F_OK) == 0 &&
           mark_owner(name, &owner) == ACH_OK && mark_counts(path, owner);
}
