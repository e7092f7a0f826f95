/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * permission.h - what the permissions of a file grant a user
 *
 * The algorithm of acl(5): the owner's entry, else a named user's, else the groups' entries, of
 * which one that grants is enough, else the entry for others. A mode is a list of three entries.
 *
 * An unknown user may be in any class, so only what all classes are granted counts. The groups of
 * a user who is not in the system's database are unknown: then only what all groups and the others
 * are granted counts.
 */
#ifndef DEV_PERMISSION_H
#define DEV_PERMISSION_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether permission bits grant all of @want: R_OK, W_OK, X_OK. Root is not special here. */
bool dev_permission_mode(mode_t mode, uid_t owner, gid_t group, uid_t uid, unsigned want);

#endif
