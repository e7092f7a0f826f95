/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c - who may use the robot's channels, for those who serve the robot in other ways */
#include <ach/access.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"
#include "server.h"

/* Another file of that name says nothing of our channel: who may write the directory can put one. */
static bool is_channel(int fd, uint64_t inode)
{
    struct stat s;

    return fstat(fd, &s) == 0 && s.st_ino == inode && s.st_uid == geteuid();
}

/* The file of a channel of ours; -1 with errno. */
static int open_channel(const char *name, uint64_t inode, char path[PATH_MAX])
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

/* Whether a user could open the channel by its name. */
static bool may(const char *name, uint64_t inode, uid_t uid, int how)
{
    char path[PATH_MAX];
    int fd = open_channel(name, inode, path);
    bool good;

    if (fd < 0)
        return false;
    good = ach_user_may_reopen(fd, path, uid, how);
    close(fd);
    return good;
}

/* To put into a channel one must be able to read it, too. A device without channels of its own,
   one with another robot's number, is as open as the robot's requests and answers are. */
static unsigned guard_rights(void *context, const ach_address_t *device, uid_t uid)
{
    const struct ach_channels *s = context;
    const struct achi_output *o = device ? achi_output_find(s, device) : NULL;
    char req[ACH_CHAN_NAME_MAX], ans[ACH_CHAN_NAME_MAX];
    unsigned rights = 0;
    bool requests;

    achi_robot_channel(s->number, "req", req);
    achi_robot_channel(s->number, "ans", ans);
    if (may(ans, s->ans_inode, uid, R_OK))
        rights |= ACH_RIGHT_LIST;
    if (!device)
        return rights;
    if (o ? may(o->data_name, o->data_inode, uid, R_OK) : rights & ACH_RIGHT_LIST)
        rights |= ACH_RIGHT_DATA;
    requests = may(req, s->req_inode, uid, R_OK | W_OK);
    if (o ? may(o->cmd_name, o->cmd_inode, uid, R_OK | W_OK) : requests)
        rights |= ACH_RIGHT_COMMAND;
    if (rights & ACH_RIGHT_LIST && requests)
        rights |= ACH_RIGHT_REQUEST;
    return rights;
}

ach_status_t achi_guard_begin(struct ach_channels *s)
{
    const ach_guard_t guard = {s, guard_rights};

    return ach_robot_guard(s->robot, &guard);
}

void achi_guard_end(struct ach_channels *s)
{
    ach_robot_guard(s->robot, NULL);
}

ach_status_t achi_guard_create(const struct ach_channels *s, ach_create_attr_t *attr)
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
    int error, result, fd = open_channel(name, inode, path);

    if (fd < 0)
        return -1;
    result = fchown(fd, (uid_t)-1, group);
    error = errno;
    close(fd);
    errno = error;
    return result;
}

ach_status_t achi_guard_open(const struct ach_channels *s, const char *name, ach_channel_t *chan,
                             uint64_t inode)
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
