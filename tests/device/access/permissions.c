/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * permissions.c - ach_user_may_open agrees with the kernel
 *
 * A file and the two directories above it get random modes, owners, groups and access control
 * lists. Processes of several users try to open the file; ach_user_may_open must agree.
 */
#include <ach/access.h>
#include <endian.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "users.h"

static const uid_t users[] = {OWNER, MEMBER, NAMED, STRANGER, NOBODY_KNOWS};
#define USERS (sizeof(users) / sizeof(users[0]))

static char top[128], middle[160], file[192];

struct acl_entry {
    uint16_t tag, perm;
    uint32_t id;
};

struct acl {
    uint32_t version;
    struct acl_entry entries[8];
};

static unsigned add(struct acl *a, unsigned n, unsigned tag, unsigned perm, uint32_t id)
{
    a->entries[n] =
        (struct acl_entry){htole16((uint16_t)tag), htole16((uint16_t)perm), htole32(id)};
    return n + 1;
}

static unsigned perm(uint64_t *random, unsigned often)
{
    return ((unsigned)check_random(random) & 7u) | (check_random(random) % 4 ? often : 0);
}

/* Add entries in the order that the kernel requires. */
static void set_acl(const char *path, uint64_t *random, unsigned often)
{
    struct acl a = {.version = htole32(2)};
    unsigned n = add(&a, 0, 1, 7, UINT32_MAX);

    if (check_random(random) % 2)
        n = add(&a, n, 2, perm(random, often), NAMED);
    if (check_random(random) % 4 == 0)
        n = add(&a, n, 2, perm(random, often), NOBODY_KNOWS);
    n = add(&a, n, 4, perm(random, often), UINT32_MAX);
    if (check_random(random) % 2)
        n = add(&a, n, 8, perm(random, often), ROBOT_GROUP);
    if (check_random(random) % 2)
        n = add(&a, n, 8, perm(random, often), OTHER_GROUP);
    n = add(&a, n, 16, perm(random, often), UINT32_MAX);
    n = add(&a, n, 32, perm(random, often), UINT32_MAX);
    REQUIRE(setxattr(path, "system.posix_acl_access", &a,
                     sizeof(a.version) + n * sizeof(a.entries[0]), 0) == 0);
}

/* Set random permissions. @often: bits that are usually set, so that users can pass directories. */
static void dress(const char *path, uint64_t *random, unsigned often, bool acls)
{
    const gid_t groups[] = {ROBOT_GROUP, OTHER_GROUP, OWNER, 0};
    mode_t mode =
        (mode_t)(perm(random, often) << 6 | perm(random, often) << 3 | perm(random, often));

    removexattr(path, "system.posix_acl_access");
    REQUIRE(chown(path, check_random(random) % 4 ? OWNER : STRANGER,
                  groups[check_random(random) % 4]) == 0);
    REQUIRE(chmod(path, mode) == 0);
    if (acls && check_random(random) % 2)
        set_acl(path, random, often);
}

/* Take the user's uid and groups, as a login does. */
static void become(uid_t uid)
{
    const struct passwd *p = getpwuid(uid);

    REQUIRE((p ? initgroups(p->pw_name, p->pw_gid) : setgroups(0, NULL)) == 0);
    REQUIRE(setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0);
}

/* What the kernel grants a user: bit 1 to write, bit 2 to read, bit 3 to do both. */
static int kernel_says(uid_t uid)
{
    static const int flags[] = {0, O_WRONLY, O_RDONLY, O_RDWR}; /* index: (R_OK | W_OK) / 2 */
    pid_t pid = fork();
    int status, may = 0, how;

    REQUIRE(pid >= 0);
    if (pid == 0) {
        become(uid);
        for (how = 1; how < 4; how++) {
            int fd = open(file, flags[how] | O_NOFOLLOW | O_CLOEXEC);

            may |= (fd >= 0) << how;
            if (fd >= 0)
                close(fd);
        }
        _exit(may);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* What the library grants, in the same bits; by name and by descriptor it must agree. */
static int we_say(uid_t uid)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC), how, may = 0;

    REQUIRE(fd >= 0);
    for (how = 1; how < 4; how++) {
        const int what = (how & 1 ? W_OK : 0) | (how & 2 ? R_OK : 0);
        int open_now = ach_user_may_open(file, uid, what);

        CHECK(ach_user_may_reopen(fd, file, uid, what) == open_now);
        may |= open_now << how;
    }
    close(fd);
    return may;
}

/* A user who is not in the user database may be granted less than by the kernel, never more. */
static bool agree(unsigned *granted)
{
    int unknown = we_say(ACH_UID_UNKNOWN), all = 14;
    bool good = true;
    size_t i;

    for (i = 0; i < USERS; i++) {
        int kernel = kernel_says(users[i]), ours = we_say(users[i]);

        all &= kernel;
        *granted += (kernel & 8) != 0;
        if (users[i] == NOBODY_KNOWS ? ours & ~kernel : ours != kernel) {
            fprintf(stderr, "user %u: the kernel says %d, we say %d\n", users[i], kernel, ours);
            good = false;
        }
    }
    return CHECK(!(unknown & ~all)) && good;
}

static void show(void)
{
    char command[1200];

    snprintf(command, sizeof(command), "ls -ldn %s %s %s >&2; getfacl -n %s %s %s >&2 2>/dev/null",
             top, middle, file, top, middle, file);
    if (system(command) != 0)
        fprintf(stderr, "getfacl is not there\n");
}

static void test_random(bool acls)
{
    unsigned i, granted = 0, tries = 60 + check_scale(200);
    uint64_t random = acls ? 7 : 8;

    for (i = 0; i < tries; i++) {
        dress(top, &random, X_OK, acls);
        dress(middle, &random, X_OK, acls);
        dress(file, &random, R_OK | W_OK, acls);
        if (!CHECK(agree(&granted))) {
            show();
            break;
        }
    }
    CHECK(granted > tries / 4 && granted < tries * USERS); /* both results occurred */
}

/* ach_user_may_reopen checks the open file, not another file that now has its name. */
static void test_renamed(const char *other)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    int new = open(other, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);

    REQUIRE(fd >= 0 && new >= 0 && chmod(file, 0600) == 0 && chmod(other, 0666) == 0);
    REQUIRE(chown(file, OWNER, OWNER) == 0 && rename(other, file) == 0);
    CHECK(ach_user_may_open(file, STRANGER, R_OK | W_OK));
    CHECK(!ach_user_may_reopen(fd, file, STRANGER, R_OK));
    CHECK(ach_user_may_reopen(new, file, STRANGER, R_OK | W_OK));
    CHECK(!ach_user_may_reopen(-1, file, STRANGER, R_OK));
    CHECK(!ach_user_may_reopen(new, NULL, STRANGER, R_OK));
    CHECK(!ach_user_may_reopen(new, file, STRANGER, X_OK));
    close(fd);
    close(new);
}

static void test_odd_files(void)
{
    char link[224];

    REQUIRE(chmod(top, 0755) == 0 && chmod(middle, 0755) == 0 && chmod(file, 0666) == 0);
    removexattr(file, "system.posix_acl_access");
    removexattr(top, "system.posix_acl_access");
    removexattr(middle, "system.posix_acl_access");
    snprintf(link, sizeof(link), "%s/link", middle);
    CHECK(ach_user_may_open(file, STRANGER, R_OK | W_OK));
    REQUIRE(symlink(file, link) == 0);
    CHECK(!ach_user_may_open(link, STRANGER, R_OK));
    unlink(link);
    CHECK(!ach_user_may_open(link, STRANGER, R_OK));
    CHECK(!ach_user_may_open(middle, STRANGER, R_OK));
    CHECK(!ach_user_may_open(file, STRANGER, 0) && !ach_user_may_open(file, STRANGER, X_OK));
    CHECK(!ach_user_may_open(NULL, STRANGER, R_OK) && !ach_user_may_open("", STRANGER, R_OK));
    test_renamed(link);
    REQUIRE(chmod(file, 0) == 0);
    CHECK(ach_user_may_open(file, 0, R_OK | W_OK)); /* root */
}

int main(void)
{
    const char *dir = getenv("ACH_DIR");
    int fd;

    users_make();
    REQUIRE(dir && chmod(dir, 0755) == 0);
    snprintf(top, sizeof(top), "%s/top", dir);
    snprintf(middle, sizeof(middle), "%s/middle", top);
    snprintf(file, sizeof(file), "%s/file", middle);
    REQUIRE(mkdir(top, 0755) == 0 && mkdir(middle, 0755) == 0);
    fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    REQUIRE(fd >= 0 && close(fd) == 0);
    test_random(false);
    if (setxattr(file, "system.posix_acl_access", NULL, 0, 0) == 0 || errno != EOPNOTSUPP)
        test_random(true);
    else
        printf("the file system of %s has no access control lists\n", dir);
    test_odd_files();
    unlink(file);
    rmdir(middle);
    rmdir(top);
    return check_result();
}
