/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.c - stale and broken files in the directory of the channels
 *
 * A file with a channel's name that cannot be opened as a channel prevents the
 * creation of that channel. It is removed only if that is safe: it is a regular
 * file that we could read and check, and the kernel grants a write lease on it,
 * which it does only if no other process has it open.
 */
#include <ach.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "doctor.h"

#define PREFIX "achshm-"
#define TEMPORARY_PREFIX "." PREFIX
#define WAKE_TAIL ".wake"
#define SETTLED_S 10

/* The entries of the directory. */
struct file_list {
    struct dirent **files;
    int n;
};

static bool path_of(const struct report *r, const char *file, char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s/%s", r->dir, file);

    return n > 0 && n < PATH_MAX;
}

/* The pid in the name of a temporary file .achshm-NAME.PID.N; 0: the name has another form. */
static pid_t maker_of(const char *file)
{
    const char *n = strrchr(file, '.'), *p = n;
    char *end;
    long pid;

    if (!n || n == file || !n[1] || n[1 + strspn(n + 1, "0123456789")] != '\0')
        return 0;
    while (p > file && p[-1] != '.')
        p--;
    if (p - file < (long)strlen(TEMPORARY_PREFIX) + 2)
        return 0;
    errno = 0;
    pid = strtol(p, &end, 10);
    return end == n && errno == 0 && pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

static bool dead(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

bool settled(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_mtime + SETTLED_S < time(NULL);
}

/* True: a regular file, still at this path, that no other process has open or mapped. */
static bool unused(const char *path)
{
    struct stat opened, named;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool result;

    if (fd < 0)
        return false;
    result = fcntl(fd, F_SETLEASE, F_WRLCK) == 0 && fstat(fd, &opened) == 0 &&
             lstat(path, &named) == 0 && opened.st_ino == named.st_ino &&
             opened.st_dev == named.st_dev && S_ISREG(opened.st_mode);
    close(fd);
    return result;
}

static void remove_file(struct report *r, const char *check, const char *path, const char *what)
{
    if (unlink(path) == 0)
        found(r, LEVEL_REPAIRED, check, "removed %s, %s", path, what);
    else
        advise(
            found(r, LEVEL_WARNING, check, "cannot remove %s, %s: %s", path, what, strerror(errno)),
            "let its owner or root run 'ach doctor --repair'");
}

static bool check_temporary(struct report *r, const char *file)
{
    static const char what[] = "left behind by a process that died";
    char path[PATH_MAX];
    pid_t maker = maker_of(file);

    if (!maker || !dead(maker) || !path_of(r, file, path) || !settled(path))
        return false;
    if (r->repair && !unused(path))
        advise(found(r, LEVEL_WARNING, "temporary files",
                     "%s was %s, and is in use: its channel was about to be replaced", path, what),
               "restart the programs that use it, or replace it again: ach mk -t");
    else if (r->repair)
        remove_file(r, "temporary files", path, what);
    else
        advise(found(r, LEVEL_WARNING, "temporary files", "%s was %s", path, what),
               "ach doctor --repair");
    return true;
}

/* The length of the channel's name in .achshm-NAME.wake and .achshm-NAME.wake.NUMBER; 0: none. */
static int wake_name(const char *file)
{
    const char *name = file + strlen(TEMPORARY_PREFIX), *end = file + strlen(file);
    const char *dot = strrchr(name, '.');
    const size_t tail = strlen(WAKE_TAIL);

    if (dot && end - dot == 9 && dot[1 + strspn(dot + 1, "0123456789abcdef")] == '\0')
        end = dot;
    if (end - name <= (long)tail || strncmp(end - tail, WAKE_TAIL, tail) != 0)
        return 0;
    return (int)(end - name - (long)tail);
}

/* rm(1) of a channel leaves its wake file behind. */
static bool check_wake_file(struct report *r, const char *file)
{
    static const char what[] = "the wake file of a channel that was removed";
    char channel[PATH_MAX], path[PATH_MAX];
    int len = wake_name(file);
    struct stat st;

    if (!len || !path_of(r, file, path) || !settled(path) ||
        snprintf(channel, sizeof(channel), "%s/" PREFIX "%.*s", r->dir, len,
                 file + strlen(TEMPORARY_PREFIX)) >= (int)sizeof(channel) ||
        lstat(channel, &st) == 0 || errno != ENOENT)
        return false;
    if (r->repair)
        remove_file(r, "temporary files", path, what);
    else
        advise(found(r, LEVEL_WARNING, "temporary files", "%s is %s", path, what),
               "ach doctor --repair");
    return true;
}

/* The usual name of a channel's wake file. */
static bool wake_path_of(const struct report *r, const char *channel, char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s/.%s" WAKE_TAIL, r->dir, channel);

    return n > 0 && n < PATH_MAX;
}

/* Find the wake file of a channel under either form of name. */
static bool find_wake_file(const struct report *r, const struct file_list *all, const char *channel,
                           char path[PATH_MAX])
{
    const char *name = channel + strlen(PREFIX);
    const int len = (int)strlen(name);
    int i;

    if (wake_path_of(r, channel, path) && access(path, F_OK) == 0)
        return true;
    for (i = 0; i < all->n; i++) {
        const char *file = all->files[i]->d_name;

        if (file[0] == '.' && wake_name(file) == len &&
            strncmp(file + strlen(TEMPORARY_PREFIX), name, (size_t)len) == 0)
            return path_of(r, file, path);
    }
    return false;
}

/*
 * The mode that a wake file should have: read and write for the owner, and for each class that may
 * read and write the channel. If the channel has an ACL, for the owner only.
 */
static mode_t wake_mode(const char *channel, mode_t mode)
{
    mode_t both = mode & (mode << 1) & 0444u;
    bool by_list = getxattr(channel, "system.posix_acl_access", NULL, 0) >= 0;

    return by_list ? 0600u : both | both >> 1 | 0600u;
}

/* chmod(1), chgrp(1) and chown(1) of a channel do not change its wake file. */
static void compare_wake_file(struct report *r, const char *channel, const char *wake)
{
    struct stat st, is;
    mode_t want;

    if (lstat(channel, &st) != 0 || lstat(wake, &is) != 0)
        return;
    want = wake_mode(channel, st.st_mode);
    if (is.st_uid != st.st_uid)
        advise(found(r, LEVEL_WARNING, "channels", "%s belongs to user %u, and %s to user %u", wake,
                     (unsigned)is.st_uid, channel, (unsigned)st.st_uid),
               "a wake file of another owner is not used, so any user who may read the channel can "
               "slow its puts down: chown(1) it to user %u, or create the channel again: ach mk -t",
               (unsigned)st.st_uid);
    else if ((is.st_mode & 07777) != want || (is.st_gid != st.st_gid && want & 0060))
        advise(found(r, LEVEL_WARNING, "channels",
                     "%s has mode %03o and group %u; for %s it should be mode %03o and group %u",
                     wake, (unsigned)is.st_mode & 07777u, (unsigned)is.st_gid, channel,
                     (unsigned)want, (unsigned)st.st_gid),
               "let the owner run: ach chmod %03o %s", (unsigned)st.st_mode & 07777u,
               strrchr(channel, '/') + 1 + strlen(PREFIX));
}

static void report_broken(struct report *r, const char *file, const char *path, const char *why)
{
    char wake[PATH_MAX];
    struct stat st;
    bool plain = lstat(path, &st) == 0 && S_ISREG(st.st_mode);

    if (r->repair && plain && unused(path)) {
        if (wake_path_of(r, file, wake))
            unlink(wake);
        remove_file(r, "channels", path, "which was not a usable channel");
    } else if (r->repair && plain)
        advise(found(r, LEVEL_PROBLEM, "channels", "%s", why),
               "a process may be using it, so it was not removed: stop that process, or remove the "
               "file yourself");
    else if (plain)
        advise(found(r, LEVEL_PROBLEM, "channels", "%s", why),
               "ach doctor --repair removes it, ach mk --replace-corrupt replaces it");
    else
        advise(found(r, LEVEL_PROBLEM, "channels", "%s", why), "remove it, or rename it");
}

static enum ach_status try_channel(const char *name)
{
    ach_channel_t chan;
    ach_info_t info;
    ach_attr_t attr;
    enum ach_status status;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    ach_attr_set_map(&attr, ACH_MAP_USER);
    status = ach_open(&chan, name, &attr);
    if (status != ACH_OK)
        return status;
    status = ach_channel_info(&chan, &info);
    ach_close(&chan);
    return status == ACH_BAD_SHM_FILE ? ACH_CORRUPT : status; /* truncated after the open */
}

struct tally {
    size_t good;
    size_t unseen; /* could not be checked */
};

static void check_channel(struct report *r, const struct file_list *all, const char *file,
                          struct tally *t)
{
    char path[PATH_MAX], wake[PATH_MAX], why[PATH_MAX + 64];
    enum ach_status status;

    if (!path_of(r, file, path))
        return;
    status = try_channel(file + strlen(PREFIX));
    switch (status) {
    case ACH_OK:
        t->good++;
        if (find_wake_file(r, all, file, wake))
            compare_wake_file(r, path, wake);
        else
            advise(found(r, LEVEL_NOTE, "channels", "%s has no wake file", path),
                   "any user who may read it can slow its puts down; ach mk -t creates it again");
        break;
    case ACH_ENOENT: /* removed since the listing */
        break;
    case ACH_BAD_SHM_FILE:
        report_broken(r, file, path, ach_errstr());
        break;
    case ACH_CORRUPT:
        snprintf(why, sizeof(why), "%s: the channel's memory is damaged", path);
        report_broken(r, file, path, why);
        break;
    case ACH_EACCES:
        found(r, LEVEL_NOTE, "channels", "%s", ach_errstr());
        t->unseen++;
        break;
    case ACH_BAD_HEADER:
        advise(found(r, LEVEL_WARNING, "channels", "%s", ach_errstr()),
               "use the same release of Ach in all programs, or end those that use it and "
               "remove it: ach rm %s",
               file + strlen(PREFIX));
        break;
    case ACH_FAILED_SYSCALL: /* not the channel's fault */
        found(r, LEVEL_WARNING, "channels", "%s", ach_errstr());
        t->unseen++;
        break;
    default:
        advise(found(r, LEVEL_WARNING, "channels", "%s: %s", path, ach_errstr()),
               "no channel can have this name or be opened here: remove it if it is yours");
    }
}

static void report_tally(struct report *r, const struct tally *t)
{
    if (t->unseen)
        found(r, LEVEL_OK, "channels", "%zu good channels; %zu could not be checked", t->good,
              t->unseen);
    else
        found(r, LEVEL_OK, "channels", "%zu good channels", t->good);
}

static int is_ours(const struct dirent *e)
{
    return strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0 ||
           strncmp(e->d_name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0;
}

void check_files(struct report *r)
{
    struct file_list all = {0};
    struct tally tally = {0};
    size_t stale = 0;
    int i;

    all.n = scandir(r->dir, &all.files, is_ours, alphasort);
    if (all.n < 0) {
        advise(found(r, LEVEL_WARNING, "channels", "cannot list %s: %s", r->dir, strerror(errno)),
               "ask its owner for read permission");
        return;
    }
    for (i = 0; i < all.n; i++) {
        const char *file = all.files[i]->d_name;

        if (file[0] == '.')
            stale += check_temporary(r, file) || check_wake_file(r, file);
        else
            check_channel(r, &all, file, &tally);
    }
    for (i = 0; i < all.n; i++)
        free(all.files[i]);
    free(all.files);
    report_tally(r, &tally);
    if (!stale)
        found(r, LEVEL_OK, "temporary files", "none left behind");
}
