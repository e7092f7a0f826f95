/* SPDX-License-Identifier: BSD-3-Clause */
/* ready_eventfd.c - what a ring and a helper thread share: the eventfd, and when to write it */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ready.h"
#include "wait.h"

/* By syscall(2): read() and write() are cancellation points, and the caller may hold a lock. */
void achi_ready_signal(int fd)
{
    const uint64_t one = 1;
    int saved = errno;

    while (syscall(SYS_write, fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    errno = saved;
}

void achi_ready_drain(int fd)
{
    uint64_t count;
    int saved = errno;

    while (syscall(SYS_read, fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
    errno = saved;
}

bool achi_ready_news(const ach_channel_t *chan, uint32_t *word)
{
    const struct achi_handle *h = chan->priv;

    return achi_canceled(chan) || achi_peek(&h->view, achi_cursor_in(chan), word) != ACH_EAGAIN;
}
