/* SPDX-License-Identifier: BSD-3-Clause */
/* user.h - the groups of a user */
#ifndef DEV_USER_H
#define DEV_USER_H

#include <stdbool.h>
#include <sys/types.h>

#define DEV_USER_GROUPS 256

struct dev_user {
    uid_t uid;
    bool known; /* the user is in the passwd database, and all groups fit */
    int count;
    gid_t groups[DEV_USER_GROUPS];
};

/* Look up in the passwd and group databases. Results are cached for ten seconds. */
void dev_user_find(uid_t uid, struct dev_user *user);

bool dev_user_in(const struct dev_user *user, gid_t group);

#endif
