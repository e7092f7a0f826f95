/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * access.h - the rights of users to devices
 *
 * The rule for every server: a local user gets only what it could open itself. The channels
 * of a robot are files, and their permissions decide which users may read its data, write
 * commands and write requests. A transport that knows its client's uid calls
 * ach_robot_rights, and serves no more than that. docs/security.md describes the trust
 * model.
 *
 * Thread safety
 *     ach_robot_guard: one thread. The other functions: any thread.
 */
#ifndef ACH_ACCESS_H
#define ACH_ACCESS_H

#include <ach/robot.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Rights of a client. ACH_RIGHT_LIST is for the robot, the others for one device. */
enum {
    ACH_RIGHT_LIST = 1,    /* list the robot's devices */
    ACH_RIGHT_DATA = 2,    /* get data, while the driver runs */
    ACH_RIGHT_COMMAND = 4, /* send commands */
    ACH_RIGHT_REQUEST = 8, /* send requests; subscribe, which sets up the driver */
    ACH_RIGHT_ALL = 15
};

/* The uid of a client is unknown. The client has the rights that all users have. */
#define ACH_UID_UNKNOWN ((uid_t)-1)

/**
 * ach_robot_rights - the rights of a local user to a device
 * @robot: the robot
 * @device: the device; NULL: the robot as a whole, for which the result is ACH_RIGHT_LIST or 0
 * @uid: the user; ACH_UID_UNKNOWN: the rights that all users have
 *
 * Root and the user of this process have all rights. For other users the files of the robot's
 * channels decide: their modes, their access control lists, the user's groups in the system's
 * databases, and the directories above. If a robot has no channels, the section access of its
 * config file gives the permissions that they would have.
 *
 * The groups of a user are cached for ten seconds.
 *
 * Allocates: yes. Blocks: on the system's databases of users and groups.
 *
 * Returns: the rights, of ACH_RIGHT_LIST, _DATA, _COMMAND and _REQUEST.
 *
 * Since: 3.1
 */
unsigned ach_robot_rights(ach_robot_t *robot, const ach_address_t *device, uid_t uid);

/**
 * ach_robot_permissions - the permissions for the files of a robot's channels
 * @robot: the robot, with its config file loaded
 * @mode: set to the permission bits
 * @group: set to the group; (gid_t)-1: that of this process
 *
 * They come from mode and group in the section access of the config file. The default mode is 0666
 * less the umask.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: 1: the config file sets at least one of them; 0: both are the defaults.
 *
 * Since: 3.1
 */
int ach_robot_permissions(const ach_robot_t *robot, mode_t *mode, gid_t *group);

/* A guard: checks users against the files of a robot's channels. */
typedef struct ach_guard {
    void *context;

    /* As ach_robot_rights, for a uid that is neither root nor the user of this process. */
    unsigned (*rights)(void *context, const ach_address_t *device, uid_t uid);
} ach_guard_t;

/**
 * ach_robot_guard - set or remove the guard of a robot
 * @robot: the robot
 * @guard: the guard, which is copied; NULL: remove it
 *
 * ach_robot_rights calls the guard, which checks the files of the robot's channels. A robot has
 * at most one guard. A guard that was removed is not running any more when this returns.
 *
 * Allocates: no. Blocks: while the guard runs.
 *
 * Returns: ACH_OK; ACH_EEXIST: the robot has a guard already.
 *
 * Since: 3.1
 */
ach_status_t ach_robot_guard(ach_robot_t *robot, const ach_guard_t *guard);

/**
 * ach_user_may_open - whether a user could open a file
 * @path: the file
 * @uid: the user; ACH_UID_UNKNOWN: whether all users could
 * @how: R_OK, W_OK or both
 *
 * Decides as the kernel would for a process of that user, with all its groups in the system's
 * databases: by modes and POSIX access control lists of the file and of the directories
 * above it. A symbolic link, or a file that does not exist, cannot be opened.
 *
 * Allocates: yes. Blocks: on the system's databases of users and groups.
 *
 * Returns: 1: yes; 0: no, or unknown.
 *
 * Since: 3.1
 */
int ach_user_may_open(const char *path, uid_t uid, int how);

/**
 * ach_user_may_reopen - whether a user could open a file that is open here
 * @fd: the file, open for reading or writing
 * @path: its name
 * @uid: the user; ACH_UID_UNKNOWN: whether all users could
 * @how: R_OK, W_OK or both
 *
 * As ach_user_may_open, with mode and access control list of the open file, and the directories
 * above its name. So the result is right even if another file gets the name meanwhile.
 *
 * Allocates: yes. Blocks: on the system's databases of users and groups.
 *
 * Returns: 1: yes; 0: no, or unknown.
 *
 * Since: 3.1
 */
int ach_user_may_reopen(int fd, const char *path, uid_t uid, int how);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
