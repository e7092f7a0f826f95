/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include <ach.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Sockets in one turn, and peers that were marked. A turn is short, so that sockets are looked at. */
#define EVENTS_MAX 256
#define MARKED_MAX 64u
#define TICK_MS 1000
#define HURRY_MS 100

static ach_status_t fail(const char *what)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", what, strerror(errno));
}

static void wake(struct achi_loop *loop)
{
    const uint64_t one = 1;

    while (write(loop->event, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static void release(struct achi_loop *loop)
{
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->event >= 0)
        close(loop->event);
    pthread_mutex_destroy(&loop->lock);
    pthread_mutex_destroy(&loop->door);
    pthread_mutex_destroy(&loop->mark_lock);
    free(loop);
}

ach_status_t achi_loop_create(struct achi_loop **loop)
{
    struct epoll_event none = {.events = EPOLLIN};
    struct achi_loop *l = malloc(sizeof(*l));
    ach_status_t status;

    if (!l)
        return fail("no memory for connections");
    memset(l, 0, offsetof(struct achi_loop, buffer));
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->door, NULL);
    pthread_mutex_init(&l->mark_lock, NULL);
    l->last = &l->first;
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->epoll < 0 || l->event < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->event, &none) != 0) {
        status = fail("cannot wait for connections");
        release(l);
        return status;
    }
    *loop = l;
    return ACH_OK;
}

void achi_loop_enter(struct achi_loop *loop)
{
    pthread_mutex_lock(&loop->door);
    pthread_mutex_lock(&loop->lock);
    pthread_mutex_unlock(&loop->door);
}

void achi_loop_leave(struct achi_loop *loop)
{
    pthread_mutex_unlock(&loop->lock);
}

void achi_loop_mark(struct achi_peer *p)
{
    struct achi_loop *loop = p->loop;
    bool alone;

    pthread_mutex_lock(&loop->mark_lock);
    alone = !loop->first;
    if (!p->marked) {
        p->marked = true;
        p->next = NULL;
        *loop->last = p;
        loop->last = &p->next;
        loop->n_marked++;
    }
    pthread_mutex_unlock(&loop->mark_lock);
    if (alone)
        wake(loop);
}

static struct achi_peer *take_marked(struct achi_loop *loop)
{
    struct achi_peer *p;

    pthread_mutex_lock(&loop->mark_lock);
    p = loop->first;
    if (p) {
        loop->first = p->next;
        if (!loop->first)
            loop->last = &loop->first;
        loop->n_marked--;
        p->marked = false;
    }
    pthread_mutex_unlock(&loop->mark_lock);
    return p;
}

static void unmark(struct achi_loop *loop, struct achi_peer *p)
{
    struct achi_peer **at = &loop->first;

    pthread_mutex_lock(&loop->mark_lock);
    while (p->marked && *at != p)
        at = &(*at)->next;
    if (p->marked) {
        *at = p->next;
        if (!*at)
            loop->last = at;
        loop->n_marked--;
        p->marked = false;
    }
    pthread_mutex_unlock(&loop->mark_lock);
}

static unsigned count_marked(struct achi_loop *loop)
{
    unsigned n;

    pthread_mutex_lock(&loop->mark_lock);
    n = loop->n_marked;
    pthread_mutex_unlock(&loop->mark_lock);
    return n;
}

/* No more than were marked at the beginning: a peer that is marked again waits for the next turn. */
static void serve_marked(struct achi_loop *loop)
{
    unsigned marked = count_marked(loop), n = marked < MARKED_MAX ? marked : MARKED_MAX;
    struct achi_peer *p;

    while (n-- && (p = take_marked(loop)))
        p->class->marked(p);
}

static void serve_ready(struct achi_loop *loop, const struct epoll_event *events, int n)
{
    uint64_t count;
    int i;

    for (i = 0; i < n; i++) {
        struct achi_peer *p = events[i].data.ptr;

        if (!p)
            while (read(loop->event, &count, sizeof(count)) < 0 && errno == EINTR)
                ;
        else if (p->fd >= 0)
            p->class->ready(p, events[i].events);
    }
}

static void bury(struct achi_peer *gone)
{
    while (gone) {
        struct achi_peer *p = gone;

        gone = p->next;
        p->class->destroy(p);
    }
}

void achi_loop_turn(struct achi_loop *loop, int ms)
{
    struct epoll_event events[EVENTS_MAX];
    int n = epoll_wait(loop->epoll, events, EVENTS_MAX, ms);
    struct achi_peer *gone;

    achi_loop_enter(loop);
    serve_ready(loop, events, n);
    serve_marked(loop);
    loop->busy = loop->work && loop->work(loop->context);
    gone = loop->gone;
    loop->gone = NULL;
    achi_loop_leave(loop);
    bury(gone);
}

static long milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)(t.tv_sec % 1000000) * 1000 + t.tv_nsec / 1000000;
}

static int pause_of(struct achi_loop *loop)
{
    if (count_marked(loop) || loop->busy)
        return 0;
    return !achi_loop_tick(loop) ? -1 : loop->hurry ? HURRY_MS : TICK_MS;
}

static void *run(void *context)
{
    struct achi_loop *loop = context;
    long last = milliseconds();

    while (!__atomic_load_n(&loop->quit, __ATOMIC_ACQUIRE)) {
        void (*tick)(void *);
        long since;

        achi_loop_turn(loop, pause_of(loop));
        since = milliseconds() - last;
        tick = achi_loop_tick(loop);
        if (tick && (since < 0 || since >= (loop->hurry ? HURRY_MS : TICK_MS))) {
            last += since;
            achi_loop_enter(loop);
            tick(loop->context);
            achi_loop_leave(loop);
        }
    }
    return NULL;
}

ach_status_t achi_loop_start(struct achi_loop *loop, void (*tick)(void *), void *context)
{
    achi_loop_set_tick(loop, tick);
    loop->context = context;
    errno = pthread_create(&loop->thread, NULL, run, loop);
    loop->running = !errno;
    return errno ? fail("no thread for connections") : ACH_OK;
}

void achi_loop_destroy(struct achi_loop *loop)
{
    __atomic_store_n(&loop->quit, true, __ATOMIC_RELEASE);
    wake(loop);
    if (loop->running)
        pthread_join(loop->thread, NULL);
    bury(loop->gone);
    release(loop);
}

ach_status_t achi_loop_add(struct achi_loop *loop, struct achi_peer *p, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = p};

    p->loop = loop;
    p->fd = fd;
    p->events = events;
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &e) == 0
               ? ACH_OK
               : fail("cannot wait for a connection");
}

void achi_loop_want(struct achi_peer *p, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = p};

    if (p->fd < 0 || p->events == events)
        return;
    p->events = events;
    epoll_ctl(p->loop->epoll, EPOLL_CTL_MOD, p->fd, &e);
}

void achi_loop_hang_up(struct achi_peer *p)
{
    if (p->fd < 0)
        return;
    epoll_ctl(p->loop->epoll, EPOLL_CTL_DEL, p->fd, NULL);
    close(p->fd);
    p->fd = -1;
}

void achi_loop_remove(struct achi_peer *p)
{
    if (p->gone)
        return;
    p->gone = true;
    achi_loop_hang_up(p);
    unmark(p->loop, p);
    p->next = p->loop->gone;
    p->loop->gone = p;
    wake(p->loop);
}
