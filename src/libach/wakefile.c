/* SPDX-License-Identifier: BSD-3-Clause */
#include "wakefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "name.h"
#include "sleep.h"

#define ACL "system.posix_acl_access"

/* A maker gives both files their names within microseconds; wait for it up to 10 ms. */
#define MAKER_LOOK_NS 100000l
#define MAKER_LOOKS 100
#define NAME_TRIES 8

#define WAITER_LOOK_NS 1000000l

static size_t wakefile_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static bool path_of(char path[PATH_MAX], const char *name, uint32_t number)
{
    int n =
        number ? snprintf(path, PATH_MAX, "%s/.%s%s.wake.%08x", achi_name_dir(), ACHI_FILE_PREFIX,
                          name, number)
               : snprintf(path, PATH_MAX, "%s/.%s%s.wake", achi_name_dir(), ACHI_FILE_PREFIX, name);

    return n > 0 && n < PATH_MAX;
}

/*
 * Read and write permission for each class of users that has both for the channel, and for its
 * owner, who could grant it anyway.
 */
static mode_t mode_of(mode_t channel)
{
    mode_t both = channel & (channel << 1) & 0444u;

    return both | both >> 1 | 0600u;
}

/* A file with an access list: its group bits are the list's mask, not what the group may do. */
static bool has_access_list(int fd)
{
    return fgetxattr(fd, ACL, NULL, 0) >= 0 || (errno != ENODATA && errno != EOPNOTSUPP);
}

/*
 * The mode of a wake file that belongs to this group. If mode bits cannot express who may write
 * the channel, only the owner may open the wake file.
 */
static mode_t mode_for(int channel, const struct stat *st, gid_t group, mode_t mode)
{
    return has_access_list(channel) || st->st_gid != group ? 0600u : mode_of(mode);
}

/* A number that other users cannot guess, or 0 if the kernel has no randomness. */
static uint32_t random_number(void)
{
    uint32_t number;

    return getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number) ? number | 1 : 0;
}

/* 0; if another user's file has the plain name, a number that cannot be guessed. */
static uint32_t choose_number(const char *name, uid_t owner)
{
    char path[PATH_MAX];
    struct stat st;

    if (!path_of(path, name, 0) || lstat(path, &st) != 0 || st.st_uid == owner)
        return 0;
    return random_number();
}

void achi_wakefile_make(struct achi_wakefile *w, const char *name, const struct newfile *channel)
{
    struct stat theirs, ours;

    w->id = (struct achi_wake_id){0};
    if (achi_newfile_open(&w->draft, name, 0600) != 0) { /* 0600: it may have a name now */
        w->draft.fd = -1;
        return;
    }
    if (fstat(channel->fd, &theirs) != 0 ||
        achi_newfile_reserve(&w->draft, wakefile_page_size()) != 0 ||
        (fremovexattr(w->draft.fd, ACL) != 0 && errno != ENODATA && errno != EOPNOTSUPP) ||
        fstat(w->draft.fd, &ours) != 0 ||
        fchmod(w->draft.fd, mode_for(channel->fd, &theirs, ours.st_gid, theirs.st_mode)) != 0) {
        achi_wakefile_close(w);
        return;
    }
    w->id.inode = ours.st_ino;
    w->id.number = choose_number(name, ours.st_uid);
}

/*
 * A file that has the name already was left by a channel that was replaced or removed with rm(1),
 * or another user has just created it. In the second case choose another number and store it in the
 * header, while the maker's lock makes openers wait.
 */
void achi_wakefile_publish(struct achi_wakefile *w, const char *name, int channel)
{
    char path[PATH_MAX];
    int tries;

    for (tries = 0; w->draft.fd >= 0 && tries < NAME_TRIES; tries++) {
        if (!path_of(path, name, w->id.number) || achi_newfile_publish(&w->draft, path) == 0 ||
            errno != EEXIST)
            return;
        if (w->id.number == 0 && unlink(path) == 0)
            continue;
        w->id.number = random_number();
        if (!w->id.number ||
            pwrite(channel, &w->id.number, sizeof(w->id.number),
                   offsetof(struct ach_header, wake_number)) != sizeof(w->id.number))
            return;
    }
}

void achi_wakefile_close(struct achi_wakefile *w)
{
    if (w->draft.fd >= 0)
        achi_newfile_close(&w->draft);
    w->draft.fd = -1;
}

/* Is it the file that the channel names, and does it belong to the same user? */
static bool fits(const struct stat *st, const struct stat *channel, const struct achi_wake_id *id)
{
    return S_ISREG(st->st_mode) && st->st_ino == id->inode && st->st_dev == channel->st_dev &&
           st->st_uid == channel->st_uid && st->st_nlink == 1 &&
           (uint64_t)st->st_size == wakefile_page_size() &&
           (uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size;
}

/*
 * Give the wake file the permissions of its channel, which chgrp(1), chmod(1) or setfacl(1) may
 * have changed, and may change meanwhile. No step grants more than the permissions before or after.
 */
static void follow(int fd, int channel, const struct stat *look)
{
    struct stat st, was, is = *look;
    int tries = 0;
    mode_t mode;

    do {
        was = is;
        if (fstat(fd, &st) != 0)
            return;
        if (st.st_gid != was.st_gid && fchmod(fd, 0600) == 0 &&
            fchown(fd, (uid_t)-1, was.st_gid) == 0)
            st.st_gid = was.st_gid;
        mode = mode_for(channel, &was, st.st_gid, was.st_mode);
        if ((st.st_mode & 07777) != mode || st.st_gid != was.st_gid)
            (void)!fchmod(fd, mode);
        if (fstat(channel, &is) != 0)
            return;
    } while ((is.st_mode != was.st_mode || is.st_gid != was.st_gid) && ++tries < 10);
}

static int open_fitting(const struct achi_handle *h, const char *name)
{
    char path[PATH_MAX];
    struct stat channel, st;
    int fd;

    if (!path_of(path, name, h->wake_id.number) || fstat(h->fd, &channel) != 0)
        return -1;
    fd = achi_high_fd(open(path, O_RDWR | ACHI_OPEN_FLAGS));
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0 || !fits(&st, &channel, &h->wake_id)) {
        close(fd);
        errno = ENOENT;
        return -1;
    }
    follow(fd, h->fd, &channel);
    return fd;
}

/* The maker holds a write lock, which readers cannot take, until the wake file has its name. */
static bool being_made(int channel)
{
    return achi_byte_written(channel, ACHI_MAKER_BYTE);
}

static int open_patiently(struct achi_handle *h, const char *name)
{
    const struct timespec pause = {.tv_nsec = MAKER_LOOK_NS};
    int fd = open_fitting(h, name), looks;

    for (looks = 0; fd < 0 && errno == ENOENT && looks < MAKER_LOOKS; looks++) {
        bool wait = being_made(h->fd);

        if (wait)
            nanosleep(&pause, NULL);
        h->wake_id.number = __atomic_load_n(&h->view.hdr->wake_number, __ATOMIC_RELAXED);
        fd = open_fitting(h, name);
        if (!wait)
            break;
    }
    return fd;
}

void achi_wakefile_map(struct achi_handle *h, const char *name, void *page)
{
    int saved = errno, fd;
    void *p;

    if (h->wake_id.inode == 0)
        return;
    fd = open_patiently(h, name);
    if (fd >= 0) {
        p = mmap(page, wakefile_page_size(), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0);
        close(fd);
        if (p != MAP_FAILED) {
            h->wake = p;
            h->sleeps_on_wake = achi_futex_has_waitv();
        }
    }
    errno = saved;
}

/*
 * A waiter sets the flag in the commit word before it checks "both_words"; this sets "both_words"
 * before it checks the flag. So one of them sees the other's store.
 */
void achi_wakefile_lack(struct achi_handle *h)
{
    const struct timespec pause = {.tv_nsec = WAITER_LOOK_NS};
    uint32_t *both = &h->view.hdr->both_words;
    struct timespec now, end;

    if (h->wake || h->wake_id.inode == 0 ||
        __atomic_load_n(both, __ATOMIC_SEQ_CST) == ACHI_BOTH_WORDS_KNOWN)
        return;
    __atomic_store_n(both, ACHI_BOTH_WORDS, __ATOMIC_SEQ_CST);
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = achi_time_add(&now, ACHI_SLICE_NS);
    while ((__atomic_load_n(&h->view.hdr->commit, __ATOMIC_SEQ_CST) & ACHI_WAITER) &&
           achi_time_before(&now, &end)) {
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    __atomic_store_n(both, ACHI_BOTH_WORDS_KNOWN, __ATOMIC_SEQ_CST);
}

/*
 * The first call sets "both_words" before it loads the commit word. So a waiter that has not seen
 * it has set the flag in that commit word or in one before, and the next commit ends its sleep.
 */
bool achi_wakefile_both(struct achi_handle *h, uint32_t commit)
{
    uint32_t *both = &h->view.hdr->both_words;

    if (!h->wake || __atomic_load_n(both, __ATOMIC_RELAXED) == ACHI_BOTH_WORDS_KNOWN)
        return true;
    if (!h->asked) {
        h->asked = true;
        __atomic_store_n(both, ACHI_BOTH_WORDS, __ATOMIC_SEQ_CST);
        h->asked_at = __atomic_load_n(&h->view.hdr->commit, __ATOMIC_SEQ_CST);
        return false;
    }
    if (ACHI_SEQ(commit) == ACHI_SEQ(h->asked_at))
        return false;
    __atomic_store_n(both, ACHI_BOTH_WORDS_KNOWN, __ATOMIC_RELEASE);
    return true;
}

void achi_wakefile_unlink(const char *name, const struct achi_wake_id *id)
{
    char path[PATH_MAX];
    int saved = errno;

    if (path_of(path, name, id->number))
        unlink(path);
    errno = saved;
}

/* In between, users with write access to the channel before or after may open the wake file. */
int achi_wakefile_chmod(const struct achi_handle *h, mode_t mode)
{
    int fd = h->name[0] && h->wake_id.inode ? open_fitting(h, h->name) : -1, r, saved;
    struct stat st, ours;

    if (fd >= 0 && fstat(h->fd, &st) == 0 && fstat(fd, &ours) == 0)
        (void)!fchmod(fd, mode_for(h->fd, &st, ours.st_gid, st.st_mode) |
                              mode_for(h->fd, &st, ours.st_gid, mode));
    r = fchmod(h->fd, mode);
    saved = errno;
    if (fd >= 0) {
        if (fstat(h->fd, &st) == 0)
            follow(fd, h->fd, &st);
        close(fd);
    }
    errno = saved;
    return r;
}
