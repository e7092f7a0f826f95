/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include <limits.h>
#include <sched.h>
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

/* Sleep until an exact time. Negative: the kernel cannot. */
static int loop_sleep(struct relay_loop *l, struct epoll_event *events, uint64_t now,
                      uint64_t until)
{
    uint64_t left = until > now ? until - now : 0;
    struct timespec t = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};

    return epoll_pwait2(l->epoll, events, EVENTS, &t, NULL);
}

/* Look for the message until the window closes. Yield: the process that sends it may need to run. */
static int loop_look(struct relay_loop *l, struct epoll_event *events, struct relay_expected *e)
{
    struct relay_anticipation *a = &l->anticipation;
    uint64_t now = relay_clock_now();
    bool came = false;
    int n = 0;

    relay_anticipation_begin(a, now);
    do {
        came = e->came && e->came(e);
        n = came ? 0 : epoll_wait(l->epoll, events, EVENTS, 0);
        if (n || came)
            break;
        sched_yield();
        now = relay_clock_now();
    } while (relay_anticipation_continue(a, now));
    relay_anticipation_end(a, now, n > 0 || came);
    return n > 0 || came ? n : -1;
}

/* Negative: nothing has come, or is expected. */
static int loop_anticipate(struct relay_loop *l, struct epoll_event *events, uint64_t until)
{
    uint64_t now = relay_clock_now();
    struct relay_expected *e = relay_anticipation_next(&l->anticipation, now);
    int n;

    if (!e)
        return -1;
    n = loop_sleep(l, events, now, relay_clock_earlier(until, l->anticipation.opens));
    return n == 0 && l->anticipation.opens < until ? loop_look(l, events, e) : n;
}

static int loop_wait(struct relay_loop *l, struct epoll_event *events, uint64_t until)
{
    int n = l->anticipation.n ? loop_anticipate(l, events, until) : -1;

    return n >= 0 ? n : epoll_wait(l->epoll, events, EVENTS, loop_timeout(until));
}

void relay_loop_turn(struct relay_loop *l, uint64_t until)
{
    struct epoll_event events[EVENTS];
    int i, n = loop_wait(l, events, until);

    for (i = 0; i < n; i++) {
        struct relay_watch *w = events[i].data.ptr;

        if (w->fd)
            w->ready(w, events[i].events);
    }
    if (n > 0 && l->anticipation.awake)
        sched_yield(); /* for the reader of the message, if it waits for this processor */
}
