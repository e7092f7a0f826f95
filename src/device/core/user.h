/* SPDX-License-Identifier: BSD-3-Clause */
/* user.h - the groups of a user */
#ifndef ACHI_USER_H
#define ACHI_USER_H

#include <stdbool.h>
#include <sys/types.h>

#define ACHI_USER_GROUPS 256

struct achi_user {
    uid_t uid;
    bool known; /* the system's database has the user, and all of the groups fit */
    int count;
    gid_t groups[ACHI_USER_GROUPS];
};

/* By the system's databases, or from memory if it was asked within ten seconds. */
void achi_user_find(uid_t uid, struct achi_user *user);

bool achi_user_in(const struct achi_user *user, gid_t group);

#endif
