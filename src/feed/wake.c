/* SPDX-License-Identifier: BSD-3-Clause */
#include "wake.h"

#include <sys/epoll.h>

/* The second handle is opened by name: it may have become another channel. */
static bool wake_open(struct feed_common *f, struct feed_channel *c)
{
    struct epoll_event none = {.data = {.ptr = c}};
    ach_info_t info;
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_map(&attr, c->map);
    if (ach_open(&c->waker, c->name, &attr) != ACH_OK)
        return false;
    c->has_waker = true;
    if (ach_channel_info(&c->waker, &info) == ACH_OK && info.inode == c->info.inode &&
        (!info.readonly || info.readonly_wake || info.map == ACH_MAP_KERNEL) &&
        ach_flush(&c->waker) == ACH_OK && ach_channel_fd(&c->waker, &c->fd) == ACH_OK &&
        epoll_ctl(f->epoll, EPOLL_CTL_ADD, c->fd, &none) == 0)
        return true;
    c->fd = -1;
    feed_wake_close(f, c);
    return false;
}

bool feed_wake_arm(struct feed_common *f, struct feed_channel *c)
{
    struct epoll_event in = {.events = EPOLLIN, .data = {.ptr = c}};

    if (!c->has_waker && !wake_open(f, c))
        return false;
    return ach_flush(&c->waker) == ACH_OK && epoll_ctl(f->epoll, EPOLL_CTL_MOD, c->fd, &in) == 0;
}

void feed_wake_disarm(struct feed_common *f, struct feed_channel *c)
{
    struct epoll_event none = {.data = {.ptr = c}};

    if (c->has_waker)
        epoll_ctl(f->epoll, EPOLL_CTL_MOD, c->fd, &none);
}

void feed_wake_close(struct feed_common *f, struct feed_channel *c)
{
    if (!c->has_waker)
        return;
    if (c->fd >= 0)
        epoll_ctl(f->epoll, EPOLL_CTL_DEL, c->fd, NULL);
    ach_close(&c->waker);
    c->has_waker = false;
    c->fd = -1;
}
