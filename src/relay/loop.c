/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include <limits.h>
#include <unistd.h>

#include "clock.h"

#define EVENTS 256

bool relay_loop_init(struct relay_loop *l)
{
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    return l->epoll >= 0;
}

void relay_loop_finish(struct relay_loop *l)
{
    close(l->epoll);
}

bool relay_loop_add(struct relay_loop *l, struct relay_watch *w, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = w};

    if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) != 0)
        return false;
    w->fd = fd;
    w->events = events;
    return true;
}

void relay_loop_want(struct relay_loop *l, struct relay_watch *w, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = w};

    if (w->events == events)
        return;
    w->events = events;
    epoll_ctl(l->epoll, EPOLL_CTL_MOD, w->fd, &e);
}

void relay_loop_remove(struct relay_loop *l, struct relay_watch *w)
{
    if (w->fd)
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
    w->fd = 0;
}

/* Round up: a turn that ends too early would only wait again. */
static int loop_timeout(uint64_t until)
{
    uint64_t now = relay_clock_now(), ms;

    if (until == UINT64_MAX)
        return -1;
    if (until <= now)
        return 0;
    ms = (until - now + 999999) / 1000000;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

void relay_loop_turn(struct relay_loop *l, uint64_t until)
{
    struct epoll_event events[EVENTS];
    int i, n = epoll_wait(l->epoll, events, EVENTS, loop_timeout(until));

    for (i = 0; i < n; i++) {
        struct relay_watch *w = events[i].data.ptr;

        if (w->fd)
            w->ready(w, events[i].events);
    }
}
