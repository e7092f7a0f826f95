/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_message.c - the device calls of kernel channels: source, put, wait, cancel */
#include <ach/kernel.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../core/order.h"
#include "clock.h"
#include "error.h"
#include "kernel.h"

/* The kernel cuts longer writes short. */
#define WRITE_MAX 0x7ffff000u

enum ach_status achi_kernel_lock_source(struct achi_handle *h, const char *name)
{
    if (ioctl(h->fd, ACH_KERNEL_SOURCE) == 0)
        return ACH_OK;
    if (errno == EBUSY)
        return achi_fail(ACH_EAGAIN, "channel '%s' has a source already", name);
    return achi_fail_errno("cannot be the source of channel '%s'", name);
}

static enum ach_status put_failed(int e)
{
    switch (e) {
    case EMSGSIZE:
        return ACH_OVERFLOW;
    case ESTALE:
        return ACH_CORRUPT;
    case EACCES:
    case EPERM:
    case EBADF:
        return ACH_EACCES;
    case EFAULT:
        return ACH_EFAULT;
    default:
        return ACH_FAILED_SYSCALL;
    }
}

enum ach_status achi_kernel_put(const struct achi_handle *h, const void *buf, size_t len)
{
    int saved = errno;
    enum ach_status r = ACH_OK;
    ssize_t n;

    if (len > WRITE_MAX)
        return ACH_OVERFLOW;
    do
        n = write(h->fd, buf, len);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        r = put_failed(errno);
    if (r != ACH_FAILED_SYSCALL)
        errno = saved;
    return r;
}

static uint64_t nanoseconds(const struct achi_deadline *d)
{
    if (d->forever || (uint64_t)d->at.tv_sec >= (uint64_t)(INT64_MAX / ACHI_NS_PER_S))
        return ACH_KERNEL_FOREVER;
    return (uint64_t)d->at.tv_sec * (uint64_t)ACHI_NS_PER_S + (uint64_t)d->at.tv_nsec;
}

/* 0, or the errno. The fence makes the flag of each cancel in the returned count visible. */
static int wait_call(int fd, struct ach_kernel_wait *w)
{
    int saved = errno, type = achi_cancelable(PTHREAD_CANCEL_ASYNCHRONOUS);
    int e = ioctl(fd, ACH_KERNEL_WAIT, w) == 0 ? 0 : errno;

    achi_cancelable(type);
    errno = saved;
    achi_fence_load(KERNEL_CANCELED); /* with KERNEL_CANCEL */
    return e;
}

enum ach_status achi_kernel_wait(const ach_channel_t *chan, const struct achi_deadline *d,
                                 int options)
{
    struct achi_handle *h = chan->priv;
    struct ach_kernel_wait w = {.seen = achi_cursor_in(chan)->seen,
                                .deadline = nanoseconds(d),
                                .clock = d->clock,
                                .flags = options & ACH_O_LINKED ? ACH_KERNEL_LINKED : 0,
                                .cancels = h->cancels};

    h->slept++;
    switch (wait_call(h->fd, &w)) {
    case ECANCELED:
        h->cancels = w.cancels;
        return ACH_OK;
    case 0:
    case EINTR:
    case ESTALE: /* replaced; there may be earlier messages to get */
        return ACH_OK;
    case ETIMEDOUT:
        return ACH_TIMEOUT;
    case ENOENT:
        return ACH_ENOENT;
    default:
        return achi_fail(ACH_FAILED_SYSCALL, "cannot wait on a kernel channel");
    }
}

void achi_kernel_cancel(int fd)
{
    int saved = errno;

    achi_fence_store(KERNEL_CANCEL); /* with KERNEL_CANCELED */
    ioctl(fd, ACH_KERNEL_CANCEL);
    errno = saved;
}

uint32_t achi_kernel_cancels(int fd, uint32_t known)
{
    struct ach_kernel_wait w = {.seen = UINT64_MAX, .clock = CLOCK_MONOTONIC, .cancels = known};

    return wait_call(fd, &w) == ECANCELED ? w.cancels : known;
}
