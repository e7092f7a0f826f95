/* SPDX-License-Identifier: BSD-3-Clause */
#include "user.h"

#include <ach.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool user_fail(const char *name, const char *why)
{
    ach_errstr_set(ACH_EACCES, "cannot become the user '%s': %s", name, why);
    return false;
}

bool relay_user_become(const char *name)
{
    const struct passwd *p;

    errno = 0;
    p = getpwnam(name);
    if (!p)
        return user_fail(name, errno ? strerror(errno) : "there is no such user");
    if (p->pw_uid == 0)
        return user_fail(name, "it is root, who has nothing to give up");
    if (geteuid() == p->pw_uid && getuid() == p->pw_uid)
        return true;
    if (initgroups(name, p->pw_gid) != 0 || setresgid(p->pw_gid, p->pw_gid, p->pw_gid) != 0 ||
        setresuid(p->pw_uid, p->pw_uid, p->pw_uid) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return user_fail(name, strerror(errno));
    return setresuid(0, 0, 0) != 0 || user_fail(name, "root's rights came back");
}
