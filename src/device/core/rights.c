/* SPDX-License-Identifier: BSD-3-Clause */
/* rights.c - what the users of this machine may do with a robot's devices */
#include <ach.h>
#include <ach/access.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "permission.h"

/* From /proc, because umask(2) would change it for other threads. 077 if it cannot be read. */
static mode_t file_mask(void)
{
    FILE *f = fopen("/proc/self/status", "re");
    unsigned mask = 077;
    char line[128];

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "Umask: %o", &mask) == 1)
            break;
    if (f)
        fclose(f);
    return (mode_t)mask & 0777;
}

static void read_mode(ach_robot_t *robot, ach_section_t *s)
{
    const char *text = ach_section_string(s, "mode", NULL);
    char *end = NULL;
    unsigned long mode;

    if (!text)
        return;
    mode = strtoul(text, &end, 8);
    if (!*text || *end || strlen(text) > 4 || mode > 0777 || (mode & 0600) != 0600 || mode & 0111)
        ach_section_refuse(s, "mode", 0, "permissions of a file as \"0664\", with 6 for its owner");
    robot->access.mode = (mode_t)mode;
    robot->access.has_mode = true;
}

static bool find_group(const char *name, gid_t *group)
{
    struct group entry, *found = NULL;
    char *end, buffer[16384];
    unsigned long number;

    if (getgrnam_r(name, &entry, buffer, sizeof(buffer), &found) == 0 && found) {
        *group = entry.gr_gid;
        return true;
    }
    errno = 0;
    number = strtoul(name, &end, 10);
    *group = (gid_t)number;
    return *name >= '0' && *name <= '9' && !*end && !errno && number < (gid_t)-1;
}

static void read_group(ach_robot_t *robot, ach_section_t *s)
{
    const char *name = ach_section_string(s, "group", NULL);

    if (!name)
        return;
    if (!find_group(name, &robot->access.group))
        ach_section_refuse(s, "group", 0, "the name or the number of a group of this machine");
    robot->access.has_group = true;
}

ach_status_t dev_rights_read(ach_robot_t *robot, ach_section_t *root)
{
    ach_section_t *s = ach_section_next(root, "access", NULL);

    if (!s)
        return ACH_OK;
    read_mode(robot, s);
    read_group(robot, s);
    return ach_section_failed(s) ? ACH_EINVAL : ACH_OK;
}

int ach_robot_permissions(const ach_robot_t *robot, mode_t *mode, gid_t *group)
{
    *mode = robot->access.has_mode ? robot->access.mode : 0666 & ~file_mask();
    *group = robot->access.has_group ? robot->access.group : (gid_t)-1;
    return robot->access.has_mode || robot->access.has_group;
}

ach_status_t ach_robot_guard(ach_robot_t *robot, const ach_guard_t *guard)
{
    ach_status_t status = ACH_OK;

    pthread_mutex_lock(&robot->access.lock);
    if (!guard)
        robot->access.guard = (ach_guard_t){0};
    else if (robot->access.guard.rights)
        status = ach_errstr_set(ACH_EEXIST, "the robot has a guard already");
    else
        robot->access.guard = *guard;
    pthread_mutex_unlock(&robot->access.lock);
    return status;
}

/* Without a guard: as if there were channels with the robot's permissions. */
static unsigned usual_rights(const ach_robot_t *robot, const ach_address_t *device, uid_t uid)
{
    unsigned rights = 0;
    mode_t mode;
    gid_t group;

    ach_robot_permissions(robot, &mode, &group);
    if (group == (gid_t)-1)
        group = getegid();
    if (dev_permission_mode(mode, geteuid(), group, uid, R_OK))
        rights |= ACH_RIGHT_LIST | ACH_RIGHT_DATA;
    if (dev_permission_mode(mode, geteuid(), group, uid, R_OK | W_OK))
        rights |= ACH_RIGHT_COMMAND | ACH_RIGHT_REQUEST;
    return device ? rights : rights & ACH_RIGHT_LIST;
}

unsigned ach_robot_rights(ach_robot_t *robot, const ach_address_t *device, uid_t uid)
{
    unsigned rights;

    if (uid == 0 || (uid == geteuid() && uid != ACH_UID_UNKNOWN))
        return device ? ACH_RIGHT_ALL : ACH_RIGHT_LIST;
    pthread_mutex_lock(&robot->access.lock);
    rights = robot->access.guard.rights
                 ? robot->access.guard.rights(robot->access.guard.context, device, uid)
                 : usual_rights(robot, device, uid);
    pthread_mutex_unlock(&robot->access.lock);
    return rights;
}
