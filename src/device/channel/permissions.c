/* SPDX-License-Identifier: BSD-3-Clause */
/* permissions.c - the permissions of new channels, if the config file sets them */
#include <ach/access.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server.h"

/* The name may lead to another file, put there by a user with write access to the directory. */
static bool is_channel(int fd, uint64_t inode)
{
    struct stat s;

    return fstat(fd, &s) == 0 && s.st_ino == inode && s.st_uid == geteuid();
}

int devch_channel_file(const char *name, uint64_t inode, char path[PATH_MAX])
{
    int fd;

    errno = ENAMETOOLONG;
    if (ach_channel_path(name, path, PATH_MAX) != ACH_OK)
        return -1;
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || is_channel(fd, inode))
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

ach_status_t devch_permissions_create(const struct ach_channels *s, ach_create_attr_t *attr)
{
    mode_t mode;
    gid_t group;

    if (!ach_robot_permissions(s->robot, &mode, &group))
        return ACH_OK;
    return ach_create_attr_set_mode(attr, mode & 0600);
}

static int change_group(const char *name, uint64_t inode, gid_t group)
{
    char path[PATH_MAX];
    int error, result, fd = devch_channel_file(name, inode, path);

    if (fd < 0)
        return -1;
    result = fchown(fd, (uid_t)-1, group);
    error = errno;
    close(fd);
    errno = error;
    return result;
}

ach_status_t devch_permissions_open(const struct ach_channels *s, const char *name,
                                    ach_channel_t *chan, uint64_t inode)
{
    mode_t mode;
    gid_t group;

    if (!ach_robot_permissions(s->robot, &mode, &group))
        return ACH_OK;
    if (group != (gid_t)-1 && change_group(name, inode, group) != 0)
        return ach_errstr_set(ACH_EACCES,
                              "channel %s cannot be given to group %u of the section access: %s; "
                              "the server's user must be in that group",
                              name, (unsigned)group, strerror(errno));
    return ach_chmod(chan, mode);
}
