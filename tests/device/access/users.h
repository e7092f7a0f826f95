/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * users.h - users and groups for tests
 *
 * In a mount namespace of this process, files of the test are bind-mounted over /etc/passwd and
 * /etc/group. This needs root.
 */
#ifndef TEST_USERS_H
#define TEST_USERS_H

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include "check.h"

enum { OWNER = 52001, MEMBER = 52002, NAMED = 52003, STRANGER = 52004, NOBODY_KNOWS = 52009 };
enum { ROBOT_GROUP = 53000, OTHER_GROUP = 53001 };

static inline void users_put(const char *path, const char *in_place_of, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    REQUIRE(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    REQUIRE(mount(path, in_place_of, NULL, MS_BIND, NULL) == 0);
    unlink(path);
}

/* Skips the test if not root, or if no mount namespace can be created. */
static inline void users_make(void)
{
    const char *dir = getenv("ACH_DIR");
    char path[256];

    if (geteuid() != 0)
        check_skip("only root can become other users");
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        check_skip("no mount namespace can be made here, for users of the test's own");
    snprintf(path, sizeof(path), "%s/users", dir ? dir : "/tmp");
    users_put(path, "/etc/passwd",
              "root:x:0:0::/:/bin/sh\n"
              "owner:x:52001:52001::/:/bin/sh\n"
              "member:x:52002:52002::/:/bin/sh\n"
              "named:x:52003:52003::/:/bin/sh\n"
              "stranger:x:52004:52004::/:/bin/sh\n");
    users_put(path, "/etc/group",
              "root:x:0:\nowner:x:52001:\nmember:x:52002:\nnamed:x:52003:\nstranger:x:52004:\n"
              "robot:x:53000:member\nother:x:53001:member,named\n");
}

#endif
