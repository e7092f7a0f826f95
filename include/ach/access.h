/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * access.h - who may use which device
 *
 * The rule for every server: a uid of this machine is served only what it could open itself.
 * The channels of a robot are files, and their permissions say who may read its data, who may
 * write commands and who may write requests. A transport that knows its client's uid asks
 * ach_robot_rights, and serves no more than that. docs/security.md says who is trusted with
 * what.
 *
 * Who may call what at the same time
 *     ach_robot_guard: one thread. The others: any thread.
 */
#ifndef ACH_ACCESS_H
#define ACH_ACCESS_H

#include <ach/robot.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What somebody may do. Each but the first is of one device. */
enum {
    ACH_RIGHT_LIST = 1,    /* see which devices a robot has */
    ACH_RIGHT_DATA = 2,    /* get data, while the driver runs */
    ACH_RIGHT_COMMAND = 4, /* send commands */
    ACH_RIGHT_REQUEST = 8, /* send requests; subscribe, which sets the driver up */
    ACH_RIGHT_ALL = 15
};

/* A client whose uid cannot be told. It may do what everybody may. */
#define ACH_UID_UNKNOWN ((uid_t)-1)

/**
 * ach_robot_rights - what a user of this machine may do with a device
 * @robot: the robot
 * @device: the device; NULL: the robot as a whole, which is ACH_RIGHT_LIST or nothing
 * @uid: the user; ACH_UID_UNKNOWN: somebody
 *
 * Root and the user of this process may do everything. For others the files of the robot's
 * channels decide: their modes, their access control lists, the groups that the user is in
 * by the system's databases, and the directories above. If a robot has no channels, the
 * section access of its config file says which permissions they would have.
 *
 * Groups of a user are remembered for ten seconds.
 *
 * Allocates: yes. Blocks: as the system's databases of users and groups do.
 *
 * Returns: the rights, of ACH_RIGHT_LIST, _DATA, _COMMAND and _REQUEST.
 *
 * Since: 3.1
 */
unsigned ach_robot_rights(ach_robot_t *robot, const ach_address_t *device, uid_t uid);

/**
 * ach_robot_permissions - which permissions the files of a robot's channels are to have
 * @robot: the robot, with its config file loaded
 * @mode: set to the permission bits
 * @group: set to the group; (gid_t)-1: that of this process
 *
 * By the section access of the config file: mode, by default what the umask leaves of 0666, and
 * group.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: 1: the config file says so; 0: it does not, and these are the usual ones.
 *
 * Since: 3.1
 */
int ach_robot_permissions(const ach_robot_t *robot, mode_t *mode, gid_t *group);

/* Who knows the files of a robot's channels. */
typedef struct ach_guard {
    void *context;

    /* As ach_robot_rights, for a uid that is neither root nor the user of this process. */
    unsigned (*rights)(void *context, const ach_address_t *device, uid_t uid);
} ach_guard_t;

/**
 * ach_robot_guard - say who knows the files of a robot's channels
 * @robot: the robot
 * @guard: who, copied; NULL: nobody any more
 *
 * A robot has one at most. With NULL, it is not running any more when this returns.
 *
 * Allocates: no. Blocks: while the guard does its work.
 *
 * Returns: ACH_OK; ACH_EEXIST: it has one.
 *
 * Since: 3.1
 */
ach_status_t ach_robot_guard(ach_robot_t *robot, const ach_guard_t *guard);

/**
 * ach_user_may_open - whether a user could open a file
 * @path: the file
 * @uid: the user; ACH_UID_UNKNOWN: whether everybody could
 * @how: R_OK, W_OK or both
 *
 * As the kernel would decide for a process of that user with all groups that the system's
 * databases say: modes and POSIX access control lists of the file and of the directories
 * above it. A file that is a link or is not there cannot be opened.
 *
 * Allocates: yes. Blocks: as the system's databases of users and groups do.
 *
 * Returns: 1: yes; 0: no, or that cannot be told.
 *
 * Since: 3.1
 */
int ach_user_may_open(const char *path, uid_t uid, int how);

/**
 * ach_user_may_reopen - whether a user could open a file that is open here
 * @fd: the file, open for reading or writing
 * @path: its name
 * @uid: the user; ACH_UID_UNKNOWN: whether everybody could
 * @how: R_OK, W_OK or both
 *
 * As ach_user_may_open, with mode and access control list of the open file, and the directories
 * above its name. So it does not matter if the name is given to another file meanwhile.
 *
 * Allocates: yes. Blocks: as the system's databases of users and groups do.
 *
 * Returns: 1: yes; 0: no, or that cannot be told.
 *
 * Since: 3.1
 */
int ach_user_may_reopen(int fd, const char *path, uid_t uid, int how);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
