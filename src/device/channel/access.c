/* SPDX-License-Identifier: BSD-3-Clause */
/* access.c - rights of users by the permissions of the channels, for other transports */
#include <ach/access.h>
#include <limits.h>
#include <unistd.h>

#include "names.h"
#include "server.h"

/* Whether a user could open the channel by its name. */
static bool may(const char *name, uint64_t inode, uid_t uid, int how)
{
    char path[PATH_MAX];
    int fd = devch_channel_file(name, inode, path);
    bool good;

    if (fd < 0)
        return false;
    good = ach_user_may_reopen(fd, path, uid, how);
    close(fd);
    return good;
}

/*
 * Putting into a channel requires read permission, too. A device with another robot's number has
 * no channels: the channels of requests and answers decide.
 */
static unsigned access_rights(void *context, const ach_address_t *device, uid_t uid)
{
    const struct ach_channels *s = context;
    const struct devch_output *o = device ? devch_output_find(s, device) : NULL;
    char req[ACH_CHAN_NAME_MAX], ans[ACH_CHAN_NAME_MAX];
    unsigned rights = 0;
    bool requests;

    devch_robot_channel(s->number, "req", req);
    devch_robot_channel(s->number, "ans", ans);
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

ach_status_t devch_access_begin(struct ach_channels *s)
{
    const ach_guard_t guard = {s, access_rights};

    return ach_robot_guard(s->robot, &guard);
}

void devch_access_end(struct ach_channels *s)
{
    ach_robot_guard(s->robot, NULL);
}
