/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * permission.h - what the permissions of a file grant a user
 *
 * As acl(5) has it: the owner's entry, else a named user's, else the groups', of which one that
 * grants is enough, else the others'. A mode is a list of three entries.
 *
 * An unknown user may be in any class, so only what all classes are granted counts. The groups of
 * a user who is not in the system's database are unknown: then only what all groups and the others
 * are granted counts.
 */
#ifndef ACHI_PERMISSION_H
#define ACHI_PERMISSION_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether permission bits grant all of @want: R_OK, W_OK, X_OK. Root is not special here. */
bool achi_permission_mode(mode_t mode, uid_t owner, gid_t group, uid_t uid, unsigned want);

/* As that, by the mode and the access control list of a file or directory. */
bool achi_permission_file(const char *path, mode_t kind, uid_t uid, unsigned want);

#endif
