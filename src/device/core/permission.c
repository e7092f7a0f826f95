/* SPDX-License-Identifier: BSD-3-Clause */
#include "permission.h"

#include <ach/access.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "user.h"

/* An access control list as the attribute has it: a version, then entries; little-endian. */
#define ACL_NAME "system.posix_acl_access"
#define ACL_VERSION 2u
#define ACL_USER_OBJ 0x01
#define ACL_USER 0x02
#define ACL_GROUP_OBJ 0x04
#define ACL_GROUP 0x08
#define ACL_MASK 0x10
#define ACL_OTHER 0x20

struct acl_bytes {
    uint16_t tag, perm;
    uint32_t id;
};

#define ENTRIES_MAX 64u

struct entry {
    unsigned tag, perm; /* perm after the mask was applied */
    uint32_t id;        /* uid or gid; unused for others */
};

struct list {
    unsigned count;
    struct entry entries[ENTRIES_MAX];
};

static void list_add(struct list *l, unsigned tag, unsigned perm, uint32_t id)
{
    if (l->count < ENTRIES_MAX)
        l->entries[l->count++] = (struct entry){tag, perm, id};
}

static struct list list_of_mode(mode_t mode, uid_t owner, gid_t group)
{
    struct list l = {0};

    list_add(&l, ACL_USER_OBJ, mode >> 6 & 7, owner);
    list_add(&l, ACL_GROUP_OBJ, mode >> 3 & 7, group);
    list_add(&l, ACL_OTHER, mode & 7, 0);
    return l;
}

/* The mask applies to all entries but the owner's and the others'. */
static void list_mask(struct list *l, unsigned mask)
{
    unsigned i;

    for (i = 0; i < l->count; i++)
        if (l->entries[i].tag & (ACL_USER | ACL_GROUP_OBJ | ACL_GROUP))
            l->entries[i].perm &= mask;
}

/* False: the format is unknown. */
static bool list_of_bytes(const unsigned char *bytes, size_t size, const struct stat *s,
                          struct list *l)
{
    unsigned mask = 7;
    uint32_t version;
    size_t at;

    if (size < sizeof(version) || (size - sizeof(version)) % sizeof(struct acl_bytes) ||
        (size - sizeof(version)) / sizeof(struct acl_bytes) > ENTRIES_MAX)
        return false;
    memcpy(&version, bytes, sizeof(version));
    if (le32toh(version) != ACL_VERSION)
        return false;
    l->count = 0;
    for (at = sizeof(version); at < size; at += sizeof(struct acl_bytes)) {
        struct acl_bytes b;
        unsigned tag;

        memcpy(&b, bytes + at, sizeof(b));
        tag = le16toh(b.tag);
        if (tag == ACL_MASK)
            mask = le16toh(b.perm);
        else
            list_add(l, tag, le16toh(b.perm),
                     tag == ACL_USER_OBJ    ? s->st_uid
                     : tag == ACL_GROUP_OBJ ? s->st_gid
                                            : le32toh(b.id));
    }
    list_mask(l, mask);
    return true;
}

/* The ACL of the file at @path, or of @fd if that is NULL. False: it cannot be read. */
static bool list_of_file(const char *path, int fd, const struct stat *s, struct list *l)
{
    unsigned char bytes[sizeof(uint32_t) + (ENTRIES_MAX + 1) * sizeof(struct acl_bytes)];
    ssize_t n;

    *l = list_of_mode(s->st_mode, s->st_uid, s->st_gid);
    if (!(s->st_mode & S_IRWXG)) /* an empty mask: then the kernel does not check the ACL */
        return true;
    n = path ? lgetxattr(path, ACL_NAME, bytes, sizeof(bytes))
             : fgetxattr(fd, ACL_NAME, bytes, sizeof(bytes));
    if (n < 0)
        return errno == ENODATA || errno == EOPNOTSUPP;
    return list_of_bytes(bytes, (size_t)n, s, l);
}

static bool grants(const struct entry *e, unsigned want)
{
    return (e->perm & want) == want;
}

/* Whether all entries of these tags grant @want; and below, whether none does. */
static bool all_grant(const struct list *l, unsigned tags, unsigned want)
{
    unsigned i;

    for (i = 0; i < l->count; i++)
        if (l->entries[i].tag & tags && !grants(&l->entries[i], want))
            return false;
    return true;
}

static bool none_grants(const struct list *l, unsigned tags, unsigned want)
{
    unsigned i;

    for (i = 0; i < l->count; i++)
        if (l->entries[i].tag & tags && grants(&l->entries[i], want))
            return false;
    return true;
}

static const struct entry *entry_of_user(const struct list *l, uid_t uid)
{
    const unsigned tags[] = {ACL_USER_OBJ, ACL_USER};
    unsigned i, k;

    for (k = 0; k < 2; k++)
        for (i = 0; i < l->count; i++)
            if (l->entries[i].tag == tags[k] && l->entries[i].id == uid)
                return &l->entries[i];
    return NULL;
}

/* By a group of the user, or by the entry for others. */
static bool list_grants_groups(const struct list *l, uid_t uid, unsigned want)
{
    const unsigned groups = ACL_GROUP_OBJ | ACL_GROUP;
    struct dev_user user;
    bool member = false;
    unsigned i;

    if (all_grant(l, groups | ACL_OTHER, want)) /* usual; avoids the look-up of the user's groups */
        return true;
    if (none_grants(l, groups | ACL_OTHER, want))
        return false;
    dev_user_find(uid, &user);
    if (!user.known)
        return false;
    for (i = 0; i < l->count; i++) {
        if (!(l->entries[i].tag & groups) || !dev_user_in(&user, l->entries[i].id))
            continue;
        if (grants(&l->entries[i], want))
            return true;
        member = true;
    }
    return !member && all_grant(l, ACL_OTHER, want);
}

static bool list_grants(const struct list *l, uid_t uid, unsigned want)
{
    const struct entry *own;

    if (uid == ACH_UID_UNKNOWN)
        return all_grant(l, ~0u, want);
    own = entry_of_user(l, uid);
    return own ? grants(own, want) : list_grants_groups(l, uid, want);
}

bool dev_permission_mode(mode_t mode, uid_t owner, gid_t group, uid_t uid, unsigned want)
{
    const struct list l = list_of_mode(mode, owner, group);

    return list_grants(&l, uid, want);
}

/* Whether the mode and the ACL of a file grant @want. @kind: S_IFREG or S_IFDIR, no other type. */
static bool permission_file(const char *path, mode_t kind, uid_t uid, unsigned want)
{
    struct list l;
    struct stat s;

    return lstat(path, &s) == 0 && (s.st_mode & S_IFMT) == kind && list_of_file(path, -1, &s, &l) &&
           list_grants(&l, uid, want);
}

static bool permission_open_file(int fd, uid_t uid, unsigned want)
{
    struct list l;
    struct stat s;

    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && list_of_file(NULL, fd, &s, &l) &&
           list_grants(&l, uid, want);
}

/* Whether the user may search every directory of @path, which has no symbolic links. */
static bool passes(const char *path, uid_t uid)
{
    char part[PATH_MAX];
    const char *slash = path;

    if (!permission_file("/", S_IFDIR, uid, X_OK))
        return false;
    while ((slash = strchr(slash + 1, '/'))) {
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = '\0';
        if (!permission_file(part, S_IFDIR, uid, X_OK))
            return false;
    }
    return true;
}

/* The path with the links of its directories resolved, and the last part as it is. */
static bool permission_resolve(const char *path, char full[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    size_t n = slash ? (size_t)(slash - path) : 0, m;

    if (n >= sizeof(directory))
        return false;
    memcpy(directory, path, n);
    directory[n] = '\0';
    if (!realpath(n ? directory : slash ? "/" : ".", full))
        return false;
    m = strlen(full);
    if (m + 1 + strlen(slash ? slash + 1 : path) >= PATH_MAX)
        return false;
    full[m] = '/';
    strcpy(full + m + 1, slash ? slash + 1 : path);
    return true;
}

static bool is_question(const char *path, int how)
{
    return path && how > 0 && !(how & ~(R_OK | W_OK));
}

int ach_user_may_reopen(int fd, const char *path, uid_t uid, int how)
{
    char full[PATH_MAX];

    if (!is_question(path, how) || !permission_resolve(path, full))
        return 0;
    if (uid == 0)
        return 1;
    return passes(full, uid) && permission_open_file(fd, uid, (unsigned)how);
}

int ach_user_may_open(const char *path, uid_t uid, int how)
{
    char full[PATH_MAX];

    if (!is_question(path, how) || !permission_resolve(path, full))
        return 0;
    if (uid == 0)
        return 1;
    return passes(full, uid) && permission_file(full, S_IFREG, uid, (unsigned)how);
}
