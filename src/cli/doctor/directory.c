/* SPDX-License-Identifier: BSD-3-Clause */
/* directory.c - the directory that channels live in */
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "doctor.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define SIZE_TEXT 32
#define LOW_SPACE (16 * MIB)
#define LOW_INODES 64
#define LOW_PERCENT 5

static void check_kind(struct report *r)
{
    struct statfs fs;
    unsigned long kind;

    if (statfs(r->dir, &fs) != 0)
        return;
    kind = (unsigned long)fs.f_type;
    if (kind == TMPFS_MAGIC || kind == RAMFS_MAGIC)
        found(r, LEVEL_OK, "file system", "%s is in memory", r->dir);
    else
        advise(found(r, LEVEL_WARNING, "file system",
                     "%s is not in memory: messages may be written to a disk, and puts may be slow",
                     r->dir),
               "mount a tmpfs there, or set ACH_DIR to a directory on a tmpfs");
}

static const char *size_text(unsigned long long bytes, char text[SIZE_TEXT])
{
    bool small = bytes < 10 * MIB;

    snprintf(text, SIZE_TEXT, "%llu %s", bytes / (small ? KIB : MIB), small ? "KiB" : "MiB");
    return text;
}

static void check_space(struct report *r)
{
    char left[SIZE_TEXT], all[SIZE_TEXT];
    struct statvfs fs;
    unsigned long long avail, total;

    if (statvfs(r->dir, &fs) != 0)
        return;
    avail = (unsigned long long)fs.f_bavail * fs.f_frsize;
    total = (unsigned long long)fs.f_blocks * fs.f_frsize;
    if (total && (avail < LOW_SPACE || avail < total / 100 * LOW_PERCENT))
        advise(
            found(r, LEVEL_WARNING, "space", "%s has only %s of %s left", r->dir,
                  size_text(avail, left), size_text(total, all)),
            "remove channels that are not needed (ach ls, ach rm), or mount it with a larger size");
    else
        found(r, LEVEL_OK, "space", "%s has %s of %s left", r->dir, size_text(avail, left),
              size_text(total, all));
    if (fs.f_files && (fs.f_favail < LOW_INODES || fs.f_favail < fs.f_files / 100 * LOW_PERCENT))
        advise(found(r, LEVEL_WARNING, "inodes", "%s has room for only %llu more files", r->dir,
                     (unsigned long long)fs.f_favail),
               "remove files that are not needed, or mount it with a larger nr_inodes");
    else
        found(r, LEVEL_OK, "inodes", "%s has room for more files", r->dir);
}

static void check_permissions(struct report *r, const struct stat *st)
{
    bool everybody = (st->st_mode & S_IWOTH) != 0;

    if (access(r->dir, W_OK | X_OK) != 0)
        advise(found(r, LEVEL_WARNING, "permissions", "you cannot create channels in %s: %s",
                     r->dir, strerror(errno)),
               "ask its owner for write and search permission, or use another ACH_DIR");
    else if (everybody && !(st->st_mode & S_ISVTX))
        advise(found(r, LEVEL_WARNING, "permissions",
                     "any user can remove the channels of other users from %s", r->dir),
               "chmod +t %s", r->dir);
    else
        found(r, LEVEL_OK, "permissions", "you can create channels in %s", r->dir);
}

bool check_directory(struct report *r)
{
    struct stat st;

    if (stat(r->dir, &st) != 0) {
        advise(found(r, LEVEL_PROBLEM, "directory", "%s: %s", r->dir, strerror(errno)),
               "mount a tmpfs there, or set ACH_DIR to another directory");
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        advise(found(r, LEVEL_PROBLEM, "directory", "%s is not a directory", r->dir),
               "set ACH_DIR to a directory");
        return false;
    }
    found(r, LEVEL_OK, "directory", "channels are in %s", r->dir);
    check_kind(r);
    check_space(r);
    check_permissions(r, &st);
    return true;
}
