/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.c - create, open, close, unlink, chmod: the life of channels and handles */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "handle.h"
#include "kernel.h"
#include "name.h"
#include "notice.h"
#include "ready.h"
#include "type.h"
#include "wait.h"
#include "waiting.h"
#include "wakefile.h"

/* For a class of users that may read and may not write: see ach_chmod. */
#define READ_BITS 0444u
#define WRITE_TO_READ_SHIFT 1

static uint32_t channel_flags_of(const ach_create_attr_t *attr)
{
    uint32_t flags = 0;

    if (attr->timestamps)
        flags |= ACHI_F_TIMESTAMPS;
    if (attr->single_writer)
        flags |= ACHI_F_SINGLE_WRITER;
    if (attr->relayed)
        flags |= ACHI_F_ORIGINS;
    if (attr->anticipated)
        flags |= ACHI_F_LOWERED;
    if (attr->map != ACH_MAP_ANON && attr->map != ACH_MAP_KERNEL)
        flags |= ACHI_F_MIRRORED;
    return flags;
}

enum ach_status ach_create(const char *name, size_t frame_cnt, size_t frame_size,
                           ach_create_attr_t *attr)
{
    ach_create_attr_t defaults;
    struct achi_geometry g;
    uint32_t type_size = 0;
    clockid_t clock;
    enum ach_status r;

    ach_create_attr_init(&defaults);
    if (!attr)
        attr = &defaults;
    if ((unsigned)attr->map > ACH_MAP_KERNEL)
        return achi_fail(ACH_EINVAL, "no such kind of channel: %d", (int)attr->map);
    if (attr->map != ACH_MAP_ANON) {
        r = achi_name_check(name);
        if (r != ACH_OK)
            return r;
    }
    clock = attr->set_clock ? attr->clock : ACH_DEFAULT_CLOCK;
    if (!achi_clock_usable(clock))
        return achi_fail(ACH_EINVAL, "a channel cannot use clock %d", (int)clock);
    r = attr->type ? achi_type_size(attr->type, &type_size) : ACH_OK;
    if (r != ACH_OK)
        return r;
    frame_cnt = frame_cnt ? frame_cnt : ACH_DEFAULT_FRAME_COUNT;
    frame_size = frame_size ? frame_size : ACH_DEFAULT_FRAME_SIZE;
    r = achi_geometry_init(&g, frame_cnt, frame_size, (uint32_t)sysconf(_SC_PAGESIZE),
                           channel_flags_of(attr), type_size);
    if (r != ACH_OK)
        return achi_fail(r, "no channel can have %zu frames of %zu bytes", frame_cnt, frame_size);
    if (attr->map == ACH_MAP_ANON)
        return achi_heap_create(&g, attr, clock);
    if (attr->map == ACH_MAP_KERNEL)
        return achi_kernel_create(name, &g, attr, clock);
    if (achi_kernel_exists(name))
        return achi_fail(ACH_EEXIST, "channel '%s' is in the kernel", name); /* GCOVR_EXCL_LINE */
    return achi_shm_create(name, &g, attr, clock);
}

static enum ach_status lock_source(struct achi_handle *h, const char *name)
{
    enum ach_status r;

    if (h->readonly)
        return achi_fail(ACH_EACCES, "a source of channel '%s' needs write permission", name);
    if (h->map == ACH_MAP_ANON)
        r = achi_heap_lock_source(h)
                ? ACH_OK
                : achi_fail(ACH_EAGAIN, "the heap channel has a source already");
    else
        r = achi_source_lock(h, name);
    if (r != ACH_OK)
        return r;
    h->source = true;
    h->source_owner = achi_thread()->process;
    return ACH_OK;
}

static void backend_close(struct achi_handle *h)
{
    if (h->map != ACH_MAP_ANON)
        achi_source_unlock(h);
    if (h->map == ACH_MAP_ANON)
        achi_heap_close(h);
    else if (achi_in_kernel(h))
        achi_kernel_close(h);
    else
        achi_shm_close(h);
}

/* GCOVR_EXCL_START: kernel channels */
/* Is there a shared-memory channel of the same name that belongs to another user? */
static bool shadows_another(const struct achi_handle *h, const char *name)
{
    char path[PATH_MAX];
    struct stat device, file;

    return achi_name_path(name, path) == ACH_OK && lstat(path, &file) == 0 &&
           fstat(h->fd, &device) == 0 && file.st_uid != device.st_uid;
}
/* GCOVR_EXCL_STOP */

/* A channel with a name is in the kernel or in shared memory. */
static enum ach_status named_open(struct achi_handle *h, const char *name, const ach_attr_t *attr)
{
    enum ach_status r = achi_name_check(name);

    if (r != ACH_OK)
        return r;
    if (attr->map != ACH_MAP_USER) {
        r = achi_kernel_open(h, name, attr->readonly);
        if (r == ACH_OK && attr->map == ACH_MAP_DEFAULT && shadows_another(h, name)) {
            achi_kernel_close(h);
            return achi_fail(ACH_EACCES, /* GCOVR_EXCL_LINE */
                             "'%s' is both a kernel channel and a file, of different users", name);
        }
        if (r != ACH_ENOENT)
            return r;
        if (attr->map == ACH_MAP_KERNEL)
            return achi_kernel_none(name);
    }
    return achi_shm_open(h, name, attr->readonly);
}

static enum ach_status backend_open(struct achi_handle *h, const char *name, const ach_attr_t *attr)
{
    enum ach_status r;

    switch (attr->map) {
    case ACH_MAP_DEFAULT:
    case ACH_MAP_USER:
    case ACH_MAP_KERNEL:
        return named_open(h, name, attr);
    case ACH_MAP_ANON:
        r = achi_heap_open(h, attr->shm);
        if (r == ACH_OK)
            h->readonly = attr->readonly;
        return r;
    default:
        return achi_fail(ACH_EINVAL, "no such kind of channel: %d", (int)attr->map);
    }
}

enum ach_status ach_open(ach_channel_t *chan, const char *name, ach_attr_t *attr)
{
    ach_attr_t defaults;
    struct achi_handle *h;
    enum ach_status r;

    ach_attr_init(&defaults);
    if (!attr)
        attr = &defaults;
    if (!chan)
        return achi_fail(ACH_EINVAL, "the handle is NULL");
    memset(chan, 0, sizeof(*chan)); /* a handle that could not be opened is a closed one */
    h = achi_handle_new();
    if (!h)
        return achi_fail_errno("no memory for a handle");
    r = backend_open(h, name, attr);
    if (r != ACH_OK) {
        achi_handle_end(h);
        return r;
    }
    h->special = h->readonly || achi_in_kernel(h) ||
                 h->view.flags & (ACHI_F_SINGLE_WRITER | ACHI_F_ORIGINS) || !achi_same_namespace(h);
    if (h->private_)
        h->pidns = achi_thread()->pidns;
    h->lock_timeout_ns = attr->lock_timeout_ns ? attr->lock_timeout_ns : defaults.lock_timeout_ns;
    r = achi_waiting_init(h, attr);
    if (r == ACH_OK && attr->type)
        r = achi_type_check(h, name, attr->type);
    if (r == ACH_OK && attr->lock_source)
        r = lock_source(h, name);
    if (r != ACH_OK) {
        achi_type_drop(h);
        backend_close(h);
        achi_handle_end(h);
        return r;
    }
    if (!h->readonly)
        achi_wakefile_lack(h);
    chan->shm = h->view.hdr;
    chan->life = h->life;
    chan->priv = h;
    return ACH_OK;
}

enum ach_status ach_close(ach_channel_t *chan)
{
    struct achi_handle *h;

    if (!chan)
        return ACH_EINVAL;
    h = __atomic_exchange_n(&chan->priv, NULL, __ATOMIC_SEQ_CST);
    chan->shm = NULL;
    if (!h || h->life != chan->life) /* a copy of it was closed */
        return ACH_CLOSED;
    achi_await_cancels();
    achi_ready_close(h);
    backend_close(h);
    achi_type_drop(h);
    free(h->buffer);
    achi_handle_end(h);
    return ACH_OK;
}

/* ACH_ENOENT without setting ach_errstr, as achi_kernel_unlink. */
static enum ach_status file_unlink(const char *name, const char *path)
{
    struct achi_handle h = {.fd = -1};
    enum ach_status r = ACH_OK;
    struct stat st;
    bool opened;

    if (lstat(path, &st) != 0 && errno == ENOENT) {
        achi_wakefile_unlink(name, &h.wake_id); /* of a channel that rm(1) removed */
        return ACH_ENOENT;
    }
    opened = achi_shm_open(&h, name, false) == ACH_OK;
    achi_wakefile_unlink(name, &h.wake_id);
    if (unlink(path) != 0)
        r = achi_fail_errno("cannot remove %s", path);
    if (opened) {
        if (r == ACH_OK && achi_unlinked(&h))
            achi_retire(&h, ACHI_UNLINKED);
        achi_shm_close(&h);
    }
    return r;
}

/* A shared-memory and a kernel channel made at the same time may share a name: remove both. */
enum ach_status ach_unlink(const char *name)
{
    enum ach_status in_kernel, r = achi_name_check(name);
    char path[PATH_MAX];

    if (r == ACH_OK)
        r = achi_name_path(name, path);
    if (r != ACH_OK)
        return r;
    r = file_unlink(name, path);
    in_kernel = achi_kernel_unlink(name);
    if (r == ACH_ENOENT && in_kernel == ACH_ENOENT)
        return achi_fail(ACH_ENOENT, "there is no channel '%s' (no file %s)", name, path);
    return in_kernel == ACH_ENOENT || (r != ACH_OK && r != ACH_ENOENT) ? r : in_kernel;
}

/* Make every put wake. Under the lock, so that no put under way has missed the flag. */
static void wake_readonly(struct achi_handle *h)
{
    uint32_t *lock = &h->view.hdr->lock;
    bool locked = achi_same_namespace(h) && achi_lock(&h->view, lock) == ACH_OK;

    __atomic_store_n(&h->view.hdr->readonly_wake, 1, __ATOMIC_SEQ_CST);
    if (locked)
        achi_unlock(&h->view, lock);
}

enum ach_status ach_chmod(ach_channel_t *chan, mode_t mode)
{
    struct achi_handle *h;

    if (!chan)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    if (h->fd < 0)
        return achi_fail(ACH_ENOTSUP, "a heap channel has no permissions");
    if (mode & ~(mode_t)07777)
        return achi_fail(ACH_EINVAL, "%#o is not a file mode", (unsigned)mode);
    if (achi_wakefile_chmod(h, mode) != 0)
        return achi_fail_errno("cannot change the channel's permissions");
    if (!h->readonly && !achi_in_kernel(h) && (mode & READ_BITS & ~(mode << WRITE_TO_READ_SHIFT)))
        wake_readonly(h);
    return ACH_OK;
}
