/* SPDX-License-Identifier: BSD-3-Clause */
#include "ready.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "kernel.h"
#include "sleep.h"

#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH 78
#define PR_FUTEX_HASH_GET_SLOTS 2
#endif

/* How many times a handle may get a new ring because another thread uses it. */
#define MOVES_MAX 4

/* Set once the kernel has refused a ring; then none is tried again. */
static bool no_rings;

static bool ours(const struct achi_ready *r)
{
    return r && r->owner == achi_thread()->process;
}

/* Does the environment variable ACH_FD ask for this mechanism? */
static bool wanted(const char *mechanism)
{
    const char *s = secure_getenv("ACH_FD");

    return s && strcmp(s, mechanism) == 0;
}

/*
 * Linux 6.16 and later give a process a futex hash table of its own when it
 * starts its first thread, and lose a ring's earlier waits on private words.
 * Until then, do not use rings for private words.
 */
static bool table_stays(void)
{
    int saved = errno;
    bool stays = prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_GET_SLOTS, 0, 0, 0) != 0;

    errno = saved;
    return stays;
}

/*
 * Can a ring serve this handle? Puts wake it if the handle can set the flag, or if they always
 * do.
 */
static bool suits_ring(struct achi_handle *h)
{
    return achi_puts_wake(h) && (!h->private_ || table_stays());
}

static void never_again(void)
{
    __atomic_store_n(&no_rings, true, __ATOMIC_RELAXED);
}

static bool use_ring(struct achi_ready *r)
{
    if (__atomic_load_n(&no_rings, __ATOMIC_RELAXED) || wanted("thread"))
        return false;
    if (achi_ring_open(&r->ring, r->fd)) {
        r->by = ACH_READY_IO_URING;
        return true;
    }
    if (errno == ENOSYS || errno == EPERM || errno == EINVAL)
        never_again();
    return false;
}

static bool use_helper(struct achi_ready *r, struct achi_handle *h)
{
    if (!achi_helper_start(&r->helper, h, r->fd))
        return false;
    r->by = ACH_READY_THREAD;
    return true;
}

/* Another thread uses the handle now. */
static void move_ring(struct achi_ready *r, struct achi_handle *h)
{
    achi_ring_close(&r->ring);
    r->by = ACH_READY_NONE;
    if (r->moves++ == MOVES_MAX || !use_ring(r))
        use_helper(r, h);
}

/* The ring does not work after all: use a helper thread. */
static void leave_ring(struct achi_ready *r, struct achi_handle *h)
{
    if (r->ring.broken)
        never_again();
    achi_ring_close(&r->ring);
    r->by = ACH_READY_NONE;
    use_helper(r, h);
}

void achi_ready_update(const ach_channel_t *chan, bool empty)
{
    struct achi_handle *h = chan->priv;
    struct achi_ready *r = h->ready;
    int saved = errno;
    bool told;

    if (!ours(r))
        return;
    if (r->by == ACH_READY_KERNEL)
        achi_device_update(&r->device, chan);
    told = __atomic_load_n(&r->told, __ATOMIC_RELAXED) &&
           __atomic_exchange_n(&r->told, 0, __ATOMIC_ACQ_REL);
    if (r->by == ACH_READY_IO_URING && r->ring.owner != achi_thread()->tid)
        move_ring(r, h);
    if (r->by == ACH_READY_IO_URING && !achi_ring_update(&r->ring, chan, told, empty))
        leave_ring(r, h);
    if (r->by == ACH_READY_THREAD)
        achi_helper_update(&r->helper, chan, told, empty);
    else if (r->by == ACH_READY_NONE)
        achi_ready_signal(r->fd); /* no mechanism: stay readable, so that the reader polls */
    errno = saved;
}

enum ach_ready achi_ready_by(const struct achi_handle *h)
{
    return ours(h->ready) ? h->ready->by : ACH_READY_NONE;
}

void achi_ready_cancel(const struct achi_handle *h)
{
    struct achi_ready *r = __atomic_load_n(&h->ready, __ATOMIC_SEQ_CST);

    if (!ours(r))
        return;
    if (r->by != ACH_READY_KERNEL) {
        __atomic_store_n(&r->told, 1, __ATOMIC_RELEASE);
        achi_ready_signal(r->fd);
    } else if (r->fd != h->fd) { /* h->fd: ach_cancel has done it */
        achi_kernel_cancel(r->fd);
    }
}

/* The helper thread of the parent does not exist in a child of fork. */
static void release(struct achi_ready *r, const struct achi_handle *h)
{
    if (r->by == ACH_READY_IO_URING)
        achi_ring_close(&r->ring);
    else if (r->by == ACH_READY_THREAD && ours(r))
        achi_helper_stop(&r->helper);
    if (r->by == ACH_READY_KERNEL)
        achi_device_close(&r->device, h);
    else
        close(r->fd);
    free(r);
}

void achi_ready_close(struct achi_handle *h)
{
    struct achi_ready *r = h->ready;

    if (!r)
        return;
    if (ours(r) && r->by == ACH_READY_KERNEL)
        achi_kernel_cancel(r->fd);
    else if (ours(r))
        achi_ready_signal(r->fd);
    release(r, h);
}

/* GCOVR_EXCL_START: kernel channels */
static enum ach_status use_device(struct achi_ready *r, const struct achi_handle *h)
{
    if (!achi_device_open(&r->device, h))
        return achi_fail_errno("cannot open the device of a kernel channel for polling");
    r->fd = r->device.fd;
    r->by = ACH_READY_KERNEL;
    return ACH_OK;
}
/* GCOVR_EXCL_STOP */

static enum ach_status start(struct achi_ready *r, struct achi_handle *h)
{
    enum ach_status status;

    r->owner = achi_thread()->process;
    if (achi_in_kernel(h))
        return use_device(r, h);
    r->fd = achi_high_fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (r->fd < 0)
        return achi_fail_errno("cannot create an eventfd");
    if (suits_ring(h) && use_ring(r))
        return ACH_OK;
    if (suits_ring(h) && wanted("io_uring"))
        status = achi_fail(ACH_ENOTSUP, "ACH_FD asks for io_uring, which this system refuses");
    else if (use_helper(r, h))
        return ACH_OK;
    else
        status = achi_fail(ACH_FAILED_SYSCALL, "cannot start a thread for a descriptor");
    close(r->fd);
    return status;
}

/* Create the handle's first descriptor in this process. */
static enum ach_status provide(struct achi_handle *h)
{
    struct achi_ready *inherited = h->ready, *r = calloc(1, sizeof(*r));
    enum ach_status status;

    if (!r)
        return achi_fail_errno("no memory for a descriptor");
    status = start(r, h);
    if (status != ACH_OK) {
        free(r);
        return status;
    }
    /* ach_cancel sees this, or the check after the first drain (a system call) sees the cancel. */
    __atomic_store_n(&h->ready, r, __ATOMIC_SEQ_CST);
    if (inherited) {
        achi_await_cancels();
        release(inherited, h);
    }
    return ACH_OK;
}

enum ach_status ach_channel_fd(const ach_channel_t *chan, int *file_descriptor)
{
    struct achi_handle *h;
    enum ach_status status = ACH_OK;

    if (!chan || !file_descriptor)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    if (!ours(h->ready))
        status = provide(h);
    if (status != ACH_OK)
        return status;
    achi_ready_update(chan, false);
    *file_descriptor = h->ready->fd;
    return ACH_OK;
}
