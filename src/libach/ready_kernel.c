/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready_kernel.c - the descriptor of a kernel channel is the device itself
 *
 * The device is readable while the channel holds a message after the one that
 * the cursor page has as seen, and while the device's count of cancels differs
 * from the page's. So a reader stores its new position in the page, and a
 * reader that found nothing queries the count of cancels.
 *
 * A device that the parent of this process opened has one cursor page, which is
 * the parent's. So a child of fork opens the same channel again by
 * ACH_KERNEL_AGAIN, even if another channel has the name by then.
 */
#include <ach/kernel.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "file.h"
#include "kernel.h"
#include "ready.h"
#include "wait.h"

static bool map_cursor(struct achi_device *d)
{
    int saved, fd = ioctl(d->fd, ACH_KERNEL_CURSOR);
    void *page;

    if (fd < 0)
        return false;
    d->size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    saved = errno;
    close(fd);
    errno = saved;
    if (page == MAP_FAILED)
        return false;
    d->cursor = page;
    d->seen = d->cursor->seen;
    d->cancels = d->cursor->cancels;
    return true;
}

bool achi_device_open(struct achi_device *d, const struct achi_handle *h)
{
    int saved;

    *d = (struct achi_device){.fd = h->fd};
    if (h->fd_owner != achi_thread()->process)
        d->fd = achi_high_fd(ioctl(h->fd, ACH_KERNEL_AGAIN));
    if (d->fd < 0)
        return false;
    if (map_cursor(d))
        return true;
    saved = errno;
    achi_device_close(d, h);
    errno = saved;
    return false;
}

void achi_device_close(struct achi_device *d, const struct achi_handle *h)
{
    if (d->cursor)
        munmap(d->cursor, d->size);
    if (d->fd != h->fd)
        close(d->fd);
}

void achi_device_update(struct achi_device *d, const ach_channel_t *chan)
{
    uint64_t seen = achi_cursor_in(chan)->seen;
    uint32_t cancels;

    if (achi_canceled(chan)) {
        if (!d->up)
            achi_kernel_cancel(d->fd);
        d->up = true;
        return;
    }
    if (d->seen != seen) {
        d->seen = seen;
        __atomic_store_n(&d->cursor->seen, seen, __ATOMIC_RELAXED);
        return;
    }
    cancels = achi_kernel_cancels(d->fd, d->cancels);
    if (cancels == d->cancels || achi_canceled(chan))
        return;
    d->cancels = cancels;
    d->up = false;
    __atomic_store_n(&d->cursor->cancels, cancels, __ATOMIC_RELAXED);
}
