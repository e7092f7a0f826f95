/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wakefile.c - only users who may write a channel can open its wake file
 *
 * Whatever is done to the permissions of a channel, a user who may only read it can open its wake
 * file neither to read nor to write.
 */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "check.h"
#include "layout.h"

#define CHAN "wakefile"
#define LIMIT_MS 60000
#define OWNER 2001
#define READER 2003
#define GROUP 3001
#define OTHER_GROUP 3003

/* The kernel's form of an access list: acl(5), linux/posix_acl_xattr.h. */
struct acl {
    uint32_t version;
    struct {
        uint16_t tag, perm;
        uint32_t id;
    } entries[5];
};

enum { USER_OBJ = 1, USER = 2, GROUP_OBJ = 4, MASK = 16, OTHER = 32, NO_ID = -1 };

static char channel_path[PATH_MAX], wake_path[PATH_MAX];

static void paths_init(void)
{
    REQUIRE_OK(ach_channel_path(CHAN, channel_path, sizeof(channel_path)));
    snprintf(wake_path, sizeof(wake_path), "%s/.achshm-%s.wake", getenv("ACH_DIR"), CHAN);
}

/* Do something as another user, in a process of its own. */
static void as(uid_t uid, gid_t gid, void (*fun)(void))
{
    pid_t pid;

    pid = check_fork();
    if (pid == 0) {
        REQUIRE(setgroups(0, NULL) == 0 && setgid(gid) == 0 && setuid(uid) == 0);
        fun();
        _exit(check_result());
    }
    CHECK(check_child(pid, LIMIT_MS));
}

static void make(mode_t mode)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    attr.set_mode = true;
    attr.mode = mode;
    CHECK_OK(ach_create(CHAN, 10, 64, &attr));
}

static void make_0640(void)
{
    make(0640);
}

static void make_0644(void)
{
    make(0644);
}

static void make_0660(void)
{
    make(0660);
}

static void make_0666(void)
{
    make(0666);
}

static void open_and_close(void)
{
    ach_channel_t chan;

    CHECK_OK(ach_open(&chan, CHAN, NULL));
    CHECK_OK(ach_close(&chan));
}

static void cannot_open(void)
{
    CHECK(open(channel_path, O_RDONLY) >= 0);
    CHECK(open(channel_path, O_RDWR) < 0 && errno == EACCES);
    CHECK(open(wake_path, O_RDONLY) < 0 && errno == EACCES);
    CHECK(open(wake_path, O_RDWR) < 0 && errno == EACCES);
}

static void narrow_by_reading_handle(void)
{
    ach_attr_t attr;
    ach_channel_t chan;

    ach_attr_init(&attr);
    attr.readonly = true;
    CHECK_OK(ach_open(&chan, CHAN, &attr));
    CHECK_OK(ach_chmod(&chan, 0644));
    CHECK_OK(ach_close(&chan));
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    REQUIRE(stat(path, &st) == 0);
    return st.st_mode & 07777;
}

static bool set_acl(const char *path, const char *which, unsigned user_may, unsigned group_may)
{
    const struct acl acl = {2,
                            {{USER_OBJ, 6, (uint32_t)NO_ID},
                             {USER, (uint16_t)user_may, READER + 1},
                             {GROUP_OBJ, (uint16_t)group_may, (uint32_t)NO_ID},
                             {MASK, 6, (uint32_t)NO_ID},
                             {OTHER, 0, (uint32_t)NO_ID}}};

    if (setxattr(path, which, &acl, sizeof(acl), 0) == 0)
        return true;
    REQUIRE(errno == EOPNOTSUPP);
    puts("this file system has no access lists");
    return false;
}

/* The group bits of a file with an ACL are the ACL's mask, not the rights of its group. */
static void access_list(void)
{
    as(OWNER, GROUP, make_0640);
    if (set_acl(channel_path, "system.posix_acl_access", 6, 4)) {
        as(OWNER, GROUP, open_and_close);
        as(READER, GROUP, cannot_open);
    }
    CHECK_OK(ach_unlink(CHAN));
}

/* The channel inherits a default ACL of the directory, and may lose it; the wake file has none. */
static void default_list(void)
{
    const char *dir = getenv("ACH_DIR");

    if (!set_acl(dir, "system.posix_acl_default", 4, 6))
        return;
    as(OWNER, GROUP, make_0660);
    CHECK(removexattr(dir, "system.posix_acl_default") == 0);
    as(READER + 1, OTHER_GROUP, cannot_open);
    CHECK(removexattr(channel_path, "system.posix_acl_access") == 0);
    REQUIRE(chmod(channel_path, 0664) == 0);
    as(OWNER, GROUP, open_and_close);
    CHECK(mode_of(wake_path) == 0660);
    as(READER + 1, OTHER_GROUP, cannot_open);
    CHECK_OK(ach_unlink(CHAN));
}

/* The channel has a group that its owner cannot give to the wake file. */
static void group_of_others(void)
{
    as(OWNER, GROUP, make_0644);
    REQUIRE(chown(channel_path, (uid_t)-1, OTHER_GROUP) == 0 && chmod(channel_path, 0664) == 0);
    as(OWNER, GROUP, open_and_close);
    as(READER, GROUP, cannot_open);
    CHECK_OK(ach_unlink(CHAN));
}

static void narrowed(void)
{
    as(OWNER, GROUP, make_0666);
    CHECK(mode_of(wake_path) == 0666);
    as(OWNER, GROUP, narrow_by_reading_handle);
    CHECK(mode_of(channel_path) == 0644 && mode_of(wake_path) == 0600);
    as(READER, OTHER_GROUP, cannot_open);
    CHECK_OK(ach_unlink(CHAN));
}

/* A writer that links another file as the wake file cannot make the owner change its mode. */
static void another_file(void)
{
    char mine[PATH_MAX + 8];
    struct ach_header *hdr;
    struct stat st;
    int fd;

    as(OWNER, GROUP, make_0666);
    snprintf(mine, sizeof(mine), "%s.mine", wake_path);
    fd = open(mine, O_RDWR | O_CREAT | O_EXCL, 0600);
    REQUIRE(fd >= 0 && posix_fallocate(fd, 0, sysconf(_SC_PAGESIZE)) == 0);
    REQUIRE(fchown(fd, OWNER, GROUP) == 0 && fstat(fd, &st) == 0);
    close(fd);
    REQUIRE(unlink(wake_path) == 0 && link(mine, wake_path) == 0);
    fd = open(channel_path, O_RDWR);
    hdr = mmap(NULL, ACHI_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(fd >= 0 && hdr != MAP_FAILED);
    hdr->wake_inode = st.st_ino;
    munmap(hdr, ACHI_HEADER_SIZE);
    close(fd);
    as(OWNER, GROUP, open_and_close);
    CHECK(mode_of(mine) == 0600);
    CHECK(unlink(mine) == 0);
    CHECK_OK(ach_unlink(CHAN));
}

int main(void)
{
    paths_init();
    umask(0);
    if (geteuid() != 0) {
        puts("only root can become other users: their rights were not tried");
        return check_result();
    }
    REQUIRE(chmod(getenv("ACH_DIR"), 01777) == 0);
    access_list();
    default_list();
    group_of_others();
    narrowed();
    another_file();
    return check_result();
}
