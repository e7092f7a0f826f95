/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c - who may use the robot's channels, for those who serve the robot in other ways */
#include <ach/access.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"
#include "server.h"

/* A file of that name that is another user's says nothing of our channel. */
static bool ours(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0 && s.st_uid == geteuid();
}

static bool may(const char *name, uid_t uid, int how)
{
    char path[PATH_MAX];

    return ach_channel_path(name, path, sizeof(path)) == ACH_OK && ours(path) &&
           ach_user_may_open(path, uid, how);
}

/* To put into a channel one must be able to read it, too. A device without channels of its own,
   one with another robot's number, is as open as the robot's requests and answers are. */
static unsigned guard_rights(void *context, const ach_address_t *device, uid_t uid)
{
    const struct ach_channels *s = context;
    const struct achi_output *o = device ? achi_output_find(s, device) : NULL;
    char req[ACH_CHAN_NAME_MAX], ans[ACH_CHAN_NAME_MAX];
    unsigned rights = 0;

    achi_robot_channel(s->number, "req", req);
    achi_robot_channel(s->number, "ans", ans);
    if (may(ans, uid, R_OK))
        rights |= ACH_RIGHT_LIST;
    if (!device)
        return rights;
    if (may(o ? o->data_name : ans, uid, R_OK))
        rights |= ACH_RIGHT_DATA;
    if (may(o ? o->cmd_name : req, uid, R_OK | W_OK))
        rights |= ACH_RIGHT_COMMAND;
    if (rights & ACH_RIGHT_LIST && may(req, uid, R_OK | W_OK))
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

ach_status_t achi_guard_open(const struct ach_channels *s, const char *name, ach_channel_t *chan)
{
    char path[PATH_MAX];
    mode_t mode;
    gid_t group;
    ach_status_t status;

    if (!ach_robot_permissions(s->robot, &mode, &group))
        return ACH_OK;
    status = ach_channel_path(name, path, sizeof(path));
    if (status != ACH_OK)
        return status;
    if (group != (gid_t)-1 && lchown(path, (uid_t)-1, group) != 0)
        return ach_errstr_set(ACH_EACCES,
                              "channel %s cannot be given to group %u of the section access: %s; "
                              "the server's user must be in that group",
                              name, (unsigned)group, strerror(errno));
    return ach_chmod(chan, mode);
}
