/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "monotonic.h"

#define NS 1000000000u
/* Of one turn, so that connections are served in between. */
#define EVENTS_MAX 64
#define TURN_NS 10000000u

uint64_t view_now(void)
{
    return (uint64_t)monotonic_ns();
}

bool view_loop_init(struct view_loop *l)
{
    struct epoll_event e = {.events = EPOLLIN};

    *l = (struct view_loop){.epoll = epoll_create1(EPOLL_CLOEXEC),
                            .alarm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    return l->epoll >= 0 && l->alarm >= 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->alarm, &e) == 0;
}

void view_loop_finish(struct view_loop *l)
{
    if (l->alarm >= 0)
        close(l->alarm);
    if (l->epoll >= 0)
        close(l->epoll);
}

bool view_loop_add(struct view_loop *l, struct view_watch *w)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = w};

    return epoll_ctl(l->epoll, EPOLL_CTL_ADD, w->fd, &e) == 0;
}

void view_loop_remove(struct view_loop *l, struct view_watch *w)
{
    epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
}

/* Let the alarm ring for the first timer. */
static void loop_arm(struct view_loop *l)
{
    struct itimerspec at = {.it_interval = {0}};
    const struct view_timer *t;
    uint64_t first = 0;

    for (t = l->timers; t; t = t->next)
        if (!first || t->when < first)
            first = t->when;
    if (first == l->alarm_at)
        return;
    at.it_value.tv_sec = (time_t)(first / NS);
    at.it_value.tv_nsec = (long)(first % NS);
    timerfd_settime(l->alarm, TFD_TIMER_ABSTIME, &at, NULL);
    l->alarm_at = first;
}

static void timer_unlink(struct view_loop *l, struct view_timer *t)
{
    struct view_timer **at = &l->timers;

    while (*at && *at != t)
        at = &(*at)->next;
    if (*at)
        *at = t->next;
    t->when = 0;
}

void view_timer_stop(struct view_loop *l, struct view_timer *t)
{
    if (!t->when)
        return;
    timer_unlink(l, t);
    loop_arm(l);
}

/* A time that has passed is now: those that are due already come first. */
void view_timer_set(struct view_loop *l, struct view_timer *t, uint64_t when)
{
    const uint64_t now = view_now();

    if (when == UINT64_MAX) {
        view_timer_stop(l, t);
        return;
    }
    if (!t->when) {
        t->next = l->timers;
        l->timers = t;
    }
    t->when = when > now ? when : now;
    loop_arm(l);
}

/* The first one that is due: one that sets itself again does not keep others waiting. */
static struct view_timer *loop_due(const struct view_loop *l, uint64_t now)
{
    struct view_timer *t, *first = NULL;

    for (t = l->timers; t; t = t->next)
        if (t->when <= now && (!first || t->when < first->when))
            first = t;
    return first;
}

/* A timer that sets itself again is due in the next turn at the earliest. */
static void loop_timers(struct view_loop *l, uint64_t end)
{
    const uint64_t now = view_now();
    struct view_timer *t;
    int i;

    for (i = 0; i < EVENTS_MAX && (t = loop_due(l, now)); i++) {
        timer_unlink(l, t);
        t->due(t->context);
        if (view_now() >= end)
            break;
    }
    l->alarm_at = UINT64_MAX; /* it may have rung */
    loop_arm(l);
}

/* One event at a time: what it calls may remove the watch of another one. */
void view_loop_turn(struct view_loop *l)
{
    const uint64_t end = view_now() + TURN_NS;
    const struct view_watch *w;
    struct epoll_event e;
    uint64_t rung;
    int i;

    for (i = 0; i < EVENTS_MAX && epoll_wait(l->epoll, &e, 1, 0) == 1; i++) {
        w = e.data.ptr;
        if (w)
            w->ready(w->context);
        else if (read(l->alarm, &rung, sizeof(rung)) < 0 && errno != EAGAIN)
            break;
        else
            loop_timers(l, end);
        if (view_now() >= end)
            break;
    }
}
