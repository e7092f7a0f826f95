/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shm.c - channels in shared memory
 *
 * A channel is a file, by default in /dev/shm. It is created without a name,
 * allocated and formatted, and gets its name last, in one step; so no process
 * ever sees half a channel, and a maker that dies leaves nothing. A file that
 * has a channel's name is not trusted until it is checked: it may be a pipe, a
 * link, empty, or hostile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "fault.h"
#include "file.h"
#include "futex.h"
#include "handle.h"
#include "name.h"
#include "newfile.h"
#include "notice.h"
#include "origin.h"
#include "sweep.h"
#include "thread.h"
#include "type.h"
#include "wakefile.h"

/* Permissions of a new channel, minus the umask. */
#define MODE 0666

/* Replacing a channel takes milliseconds: wait a second at most for another process that does. */
#define REPLACE_LOOK_NS 1000000l
#define REPLACE_LOOKS 1000

/* The byte that a process locks while it replaces a channel; sources lock lower bytes. */
#define REPLACE_BYTE ((off_t)1 << 40)

static enum ach_status open_path(struct achi_handle *h, const char *name, const char *path,
                                 bool readonly);

static uint32_t shm_page_size(void)
{
    return (uint32_t)sysconf(_SC_PAGESIZE);
}

/* Address space of a channel, with a page for the wake word behind it. */
static size_t reach(const struct achi_geometry *g)
{
    return (size_t)g->span + shm_page_size();
}

/*
 * Map a channel: header, entries and ring, and the ring again behind itself.
 * MAP_POPULATE, so that no put or get is delayed by the first access to a page.
 */
static void *map_file(int fd, const struct achi_geometry *g, int prot)
{
    const int how = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
    size_t memory = (size_t)g->memory, ring = (size_t)g->data_size;
    unsigned char *base;

    if (g->span > SIZE_MAX / 2) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    base = mmap(NULL, reach(g), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return base;
    if (mmap(base, memory, prot, how, fd, 0) == MAP_FAILED ||
        mmap(base + memory, ring, prot, how, fd, (off_t)g->data_off) == MAP_FAILED) {
        int saved = errno;

        munmap(base, reach(g));
        errno = saved;
        return MAP_FAILED;
    }
    return base;
}

static enum ach_status draft_fill(struct newfile *d, struct achi_wakefile *wake, const char *name,
                                  const struct achi_geometry *g, const ach_create_attr_t *attr,
                                  clockid_t clock)
{
    const uint64_t pidns = achi_thread()->pidns;
    struct ach_header *hdr;

    if (!pidns)
        return achi_fail(
            ACH_FAILED_SYSCALL,
            "cannot determine the PID namespace whose processes may put: is /proc mounted?");
    if (achi_newfile_reserve(d, g->memory) != 0)
        return achi_fail_errno("cannot reserve %llu bytes in %s for channel '%s'",
                               (unsigned long long)g->memory, achi_name_dir(), name);
    hdr = map_file(d->fd, g, PROT_READ | PROT_WRITE);
    if (hdr == MAP_FAILED)
        return achi_fail_errno("cannot map %llu bytes", (unsigned long long)g->span);
    achi_format(hdr, g, clock, pidns, achi_epoch());
    achi_type_store(hdr, g, attr->type);
    hdr->readonly_wake = attr->readonly_wake;
    if (attr->set_mode && fchmod(d->fd, attr->mode) != 0) {
        munmap(hdr, reach(g));
        return achi_fail_errno("cannot set the channel's permissions");
    }
    achi_wakefile_make(wake, name, d);
    hdr->wake_inode = wake->id.inode;
    hdr->wake_number = wake->id.number;
    munmap(hdr, reach(g));
    return ACH_OK;
}

/* ACH_OK: the channel can be used, or that is unknown. Else ACH_BAD_HEADER or ACH_CORRUPT. */
static enum ach_status examine(const char *path)
{
    struct achi_handle h = {.fd = -1};
    struct achi_cursor cursor = {0};
    struct achi_look look;
    uint32_t word;
    enum ach_status r = open_path(&h, path, path, true);

    if (r == ACH_BAD_SHM_FILE)
        return ACH_CORRUPT;
    if (r != ACH_OK)
        return r == ACH_BAD_HEADER ? r : ACH_OK;
    r = achi_get(&h.view, &cursor, NULL, UINT64_MAX, ACH_O_LAST, &look, &word);
    if (__atomic_load_n(&h.view.hdr->state, __ATOMIC_RELAXED) == ACHI_REPLACED)
        r = ACH_CORRUPT;
    achi_shm_close(&h);
    return r == ACH_CORRUPT ? r : ACH_OK;
}

/*
 * May a new channel take the place of this one? A channel of another layout is not damaged:
 * programs of another release may use it, and they cannot be notified.
 */
static enum ach_status may_replace(const char *path, const ach_create_attr_t *attr)
{
    enum ach_status r;

    if (!attr->truncate && !attr->replace_corrupt)
        return ACH_EEXIST;
    r = examine(path);
    if (r == ACH_BAD_HEADER)
        return r;
    return attr->truncate || r == ACH_CORRUPT ? ACH_OK : ACH_EEXIST;
}

bool achi_shm_replaced(const char *name, const char *path)
{
    struct achi_handle old = {.fd = -1};
    enum ach_status r = open_path(&old, name, path, false);
    bool told;

    if (r != ACH_OK)
        return r == ACH_BAD_SHM_FILE || r == ACH_BAD_HEADER; /* no users to notify */
    told = !old.readonly;
    achi_retire(&old, ACHI_REPLACED);
    achi_shm_close(&old);
    return told;
}

/* While heir is set, a process that opens the channel notifies the users of the replaced one. */
static void set_heir(const struct newfile *d, uint32_t heir)
{
    (void)!pwrite(d->fd, &heir, sizeof(heir), offsetof(struct ach_header, heir));
}

/* The file must not be replaced after all: give it its name back. */
static enum ach_status step_back(struct newfile *d, const char *name, const char *path,
                                 enum ach_status why)
{
    if (renameat2(AT_FDCWD, d->path, AT_FDCWD, path, RENAME_EXCHANGE) != 0)
        return achi_fail_errno("cannot rename the old file back to %s", path);
    achi_shm_replaced(name, d->path);
    return why;
}

/* In a sticky directory such as /dev/shm only its owner can remove a file: name the owner. */
static enum ach_status not_ours(const char *path, const char *why)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return achi_fail(ACH_EACCES, "%s %s", path, why);
    return achi_fail(ACH_EACCES, "%s belongs to user %u and %s", path, (unsigned)st.st_uid, why);
}

static enum ach_status cannot_replace(const char *path)
{
    if (errno == EPERM || errno == EACCES)
        return not_ours(path, "cannot be replaced: its owner or the superuser can remove it");
    return achi_fail_errno("cannot replace %s", path);
}

/* ACH_EAGAIN: no file has the name any more. old: the channel that has the name, or NULL. */
static enum ach_status exchange(struct newfile *d, const char *name, const char *path,
                                const ach_create_attr_t *attr, struct achi_handle *old)
{
    enum ach_status r = ACH_OK;

    set_heir(d, 1);
    if (!d->path[0])
        achi_sweep(name);
    if (achi_newfile_replace(d, name, path) != 0)
        return errno == ENOENT ? ACH_EAGAIN : cannot_replace(path);
    if (d->path[0]) { /* d->path now names exactly the file that was replaced */
        r = may_replace(d->path, attr);
        if (r == ACH_EEXIST && access(d->path, F_OK) != 0 && errno == ENOENT)
            r = ACH_OK; /* another process has swept it */
        if (r != ACH_OK)
            r = step_back(d, name, path, r);
        else if (!achi_shm_replaced(name, d->path) && old)
            achi_retire(old, ACHI_REPLACED);
        achi_newfile_unname(d);
    } else if (old) {
        achi_retire(old, ACHI_REPLACED);
    }
    if (r == ACH_OK && achi_sweep(name))
        set_heir(d, 0);
    return r;
}

/* Take the name from the file that has it, and notify the users of that channel. */
static enum ach_status take_place(struct newfile *d, const char *name, const char *path,
                                  const ach_create_attr_t *attr)
{
    struct achi_handle old = {.fd = -1};
    enum ach_status r = open_path(&old, name, path, false);
    bool had = r == ACH_OK;

    if (had && old.readonly)
        r = not_ours(path, "cannot be written by you, so its users cannot be notified");
    else if (had || r == ACH_ENOENT || r == ACH_BAD_SHM_FILE)
        r = exchange(d, name, path, attr, had ? &old : NULL);
    if (had) {
        if (r == ACH_OK && old.wake_id.number) /* achi_wakefile_publish removes a plain one */
            achi_wakefile_unlink(name, &old.wake_id);
        achi_shm_close(&old);
    }
    return r;
}

/* Does the path still lead to this file? */
static bool still_there(int fd, const char *path)
{
    struct stat here, there;

    return fstat(fd, &here) == 0 && lstat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/*
 * Is another process replacing the file? If not, we hold the lock now. If only a reader's lock
 * keeps us from a write lock, that is not another process that replaces, so readers cannot
 * block us. Without write access only flock(2) is possible; a valid channel is not replaced
 * then.
 */
static bool being_replaced(int fd, bool readonly)
{
    if (readonly)
        return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return achi_byte_lock(fd, REPLACE_BYTE, F_WRLCK) != 0 && achi_byte_written(fd, REPLACE_BYTE);
}

/*
 * Replace the file that has the name, if may_replace allows it. Several
 * processes may try at the same time, and the first one's channel is valid and
 * must stay: so a process that replaces a file holds a lock on it. ACH_EAGAIN,
 * if patient: another process replaces the file, or did.
 */
static enum ach_status replace(struct newfile *d, const char *name, const char *path,
                               const ach_create_attr_t *attr, bool patient)
{
    bool readonly = false;
    int fd = achi_open_either(path, ACHI_OPEN_FLAGS, &readonly);
    bool busy = fd < 0 ? errno == ENOENT : being_replaced(fd, readonly) || !still_there(fd, path);
    enum ach_status r;

    r = patient && busy ? ACH_EAGAIN : may_replace(path, attr);
    if (r == ACH_OK)
        r = take_place(d, name, path, attr);
    if (fd >= 0) { /* a child of fork may have the descriptor too */
        flock(fd, LOCK_UN);
        achi_byte_lock(fd, REPLACE_BYTE, F_UNLCK);
        close(fd);
    }
    return r;
}

/* Give the new file its name. ACH_EEXIST: another file has it, and must not be replaced. */
static enum ach_status place(struct newfile *d, const char *name, const char *path,
                             const ach_create_attr_t *attr)
{
    const struct timespec pause = {.tv_nsec = REPLACE_LOOK_NS};
    enum ach_status r;
    struct stat st;
    int looks;

    for (looks = 0;; looks++) {
        if (achi_newfile_publish(d, path) == 0)
            return ACH_OK;
        if (errno != EEXIST)
            return achi_fail_errno("cannot create the file of channel '%s'", name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            return ACH_EEXIST;
        r = replace(d, name, path, attr, looks < REPLACE_LOOKS);
        if (r != ACH_EAGAIN)
            return r;
        if (looks > 2 * REPLACE_LOOKS) /* other processes keep creating and removing it */
            return ACH_EEXIST;
        nanosleep(&pause, NULL);
    }
}

enum ach_status achi_shm_create(const char *name, const struct achi_geometry *g,
                                const ach_create_attr_t *attr, clockid_t clock)
{
    struct achi_wakefile wake = {.draft.fd = -1};
    char path[PATH_MAX];
    struct newfile d;
    struct stat st;
    enum ach_status r = achi_name_path(name, path);

    if (r != ACH_OK)
        return r;
    if (g->span > SIZE_MAX / 2) {
        errno = ENOMEM;
        return achi_fail_errno("a channel of %llu bytes cannot be mapped",
                               (unsigned long long)g->span);
    }
    if (lstat(path, &st) == 0)
        r = may_replace(path, attr); /* before memory is reserved for nothing */
    if (r == ACH_OK) {
        if (achi_newfile_open(&d, name, MODE) != 0)
            return achi_fail_errno("cannot create a file in %s", achi_name_dir());
        if (d.path[0]) /* here new files have names, which stay if their maker is killed */
            achi_sweep(name);
        r = draft_fill(&d, &wake, name, g, attr, clock);
        if (r == ACH_OK) {
            achi_byte_lock(d.fd, ACHI_MAKER_BYTE, F_WRLCK);
            r = place(&d, name, path, attr);
        }
        if (r == ACH_OK)
            achi_wakefile_publish(&wake, name, d.fd);
        achi_wakefile_close(&wake);
        achi_byte_lock(d.fd, ACHI_MAKER_BYTE, F_UNLCK);
        achi_newfile_close(&d);
    }
    if (r == ACH_BAD_HEADER)
        return achi_fail(r,
                         "channel '%s' has another layout version, and programs of another "
                         "release of Ach may use it: end them, then remove it: ach rm %s",
                         name, name);
    return r == ACH_EEXIST ? achi_fail(r, "channel '%s' exists already", name) : r;
}

static enum ach_status open_failed(const char *name, const char *path)
{
    switch (errno) {
    case ENOENT:
        return achi_fail(ACH_ENOENT, "there is no channel '%s' (no file %s)", name, path);
    case ELOOP:
    case ENXIO:
    case EISDIR:
    case ENODEV:
        return achi_fail(ACH_BAD_SHM_FILE, "%s is not a channel: not a regular file", path);
    default:
        return achi_fail_errno("cannot open %s", path);
    }
}

static enum ach_status read_geometry(int fd, const char *path, struct achi_geometry *g,
                                     struct ach_header *copy)
{
    struct stat st;
    ssize_t n;
    enum ach_status r;

    if (fstat(fd, &st) != 0)
        return achi_fail_errno("cannot get the status of %s", path);
    if (!S_ISREG(st.st_mode))
        return achi_fail(ACH_BAD_SHM_FILE, "%s is not a channel: not a regular file", path);
    n = pread(fd, copy, sizeof(*copy), 0);
    if (n < 0)
        return achi_fail_errno("cannot read %s", path);
    if (n != (ssize_t)sizeof(*copy))
        return achi_fail(ACH_BAD_SHM_FILE, "%s is not a channel: too short", path);
    if ((uint64_t)st.st_blocks * 512 < (uint64_t)st.st_size) /* touching a hole may be SIGBUS */
        return achi_fail(
            ACH_BAD_SHM_FILE,
            "%s is not a usable channel: the file has holes, but a channel's memory is reserved",
            path);
    r = achi_geometry_check(g, copy, (uint64_t)st.st_size, shm_page_size());
    if (r == ACH_BAD_HEADER)
        return achi_fail(r, "%s has another layout (version %u): created by another release of Ach",
                         path, copy->version);
    if (r != ACH_OK || !(g->flags & ACHI_F_MIRRORED) || !achi_clock_usable(copy->clock))
        return achi_fail(ACH_BAD_SHM_FILE, "%s is not a channel, or is damaged", path);
    return ACH_OK;
}

/* name: the channel's name, or path again if the file does not have that name. */
static enum ach_status open_path(struct achi_handle *h, const char *name, const char *path,
                                 bool readonly)
{
    struct achi_geometry g = {0};
    struct ach_header copy = {0};
    void *base;
    int fd;
    enum ach_status r;

    fd = achi_open_either(path, ACHI_OPEN_FLAGS, &readonly);
    if (fd < 0)
        return open_failed(name, path);
    r = read_geometry(fd, path, &g, &copy);
    if (r != ACH_OK) {
        close(fd);
        return r;
    }
    base = map_file(fd, &g, readonly ? PROT_READ : PROT_READ | PROT_WRITE);
    if (base == MAP_FAILED) {
        r = achi_fail_errno("cannot map %s", path);
        close(fd);
        return r;
    }
    h->area = achi_area_add(base, reach(&g));
    if (!h->area) {
        munmap(base, reach(&g));
        close(fd);
        return achi_fail(ACH_FAILED_SYSCALL, "no memory for a handle");
    }
    achi_view_init(&h->view, base, &g, copy.clock);
    h->span = reach(&g);
    h->memory = g.memory;
    h->frame_size = g.frame_size;
    h->type_off = g.type_off;
    h->type_size = g.type_size;
    h->pidns = copy.pidns;
    h->map = ACH_MAP_USER;
    h->readonly = readonly;
    h->fd = fd;
    h->wake_id = (struct achi_wake_id){copy.wake_inode, copy.wake_number};
    if (name != path)
        snprintf(h->name, sizeof(h->name), "%s", name);
    if (!readonly && name != path)
        achi_wakefile_map(h, name, (unsigned char *)base + g.span);
    return ACH_OK;
}

enum ach_status achi_shm_open(struct achi_handle *h, const char *name, bool readonly)
{
    char path[PATH_MAX];
    enum ach_status r = achi_name_path(name, path);

    if (r == ACH_OK)
        r = open_path(h, name, path, readonly);
    if (r == ACH_OK && !h->readonly && __atomic_load_n(&h->view.hdr->heir, __ATOMIC_RELAXED) &&
        achi_sweep(name))
        __atomic_store_n(&h->view.hdr->heir, 0, __ATOMIC_RELAXED);
    return r;
}

void achi_shm_close(struct achi_handle *h)
{
    achi_area_remove(h->area);
    munmap(h->view.hdr, h->span);
    close(h->fd);
}
