/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait_poll.c - waiting for kernel channels and others at the same time, and for signals
 *
 * A kernel channel has no word that a futex call could watch, and other
 * channels have no wait queue in the kernel; both have the descriptor of
 * ach_channel_fd. It is updated before each sleep, and the sleep ends at once
 * if it is readable. No descriptor shows that a channel's file was removed with
 * rm(1): that is detected after the sleep, which lasts at most a second.
 */
#include <errno.h>
#include <poll.h>

#include "clock.h"
#include "error.h"
#include "notice.h"
#include "sleep.h"
#include "wait.h"

/* Prepare to sleep on one channel. */
static enum ach_status wait_poll_prepare(const ach_channel_t *chan, struct pollfd *p)
{
    enum ach_status r = ach_channel_fd(chan, &p->fd);

    if (r != ACH_OK)
        return r;
    p->events = POLLIN;
    chan->priv->slept++;
    return ACH_OK;
}

static enum ach_status wait_poll_sleep_on(struct pollfd *p, size_t n, const struct achi_deadline *d,
                                          int options)
{
    struct timespec now, limit;
    int64_t left = ACHI_SLICE_NS;
    enum ach_status r = ACH_OK;
    int saved = errno;

    if (!d->forever) {
        clock_gettime(d->clock, &now);
        left = achi_time_until(&now, &d->at);
        if (left == 0)
            return ACH_TIMEOUT;
    }
    if (left > ACHI_SLICE_NS)
        left = ACHI_SLICE_NS;
    limit = (struct timespec){.tv_sec = (time_t)(left / ACHI_NS_PER_S),
                              .tv_nsec = (long)(left % ACHI_NS_PER_S)};
    if (ppoll(p, (nfds_t)n, &limit, NULL) < 0) {
        if (errno != EINTR)
            return achi_fail_errno("cannot poll");
        r = options & ACH_O_INTERRUPT ? ACH_EINTR : ACH_OK;
    }
    errno = saved;
    return r;
}

enum ach_status achi_poll_all(ach_wait_item_t *items, size_t n, const struct achi_deadline *d,
                              int options, size_t *ready)
{
    struct pollfd p[ACH_WAIT_MAX];
    size_t i;

    for (i = 0; i < n; i++) {
        enum ach_status r = wait_poll_prepare(items[i].chan, &p[i]);

        if (r != ACH_OK)
            return r;
        if ((options & ACH_O_LINKED) && achi_unlinked(items[i].chan->priv)) {
            items[i].status = ACH_ENOENT;
            ++*ready;
        }
    }
    return *ready ? ACH_OK : wait_poll_sleep_on(p, n, d, options);
}
