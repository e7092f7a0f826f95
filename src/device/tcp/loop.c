/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include <ach.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Events, and marked peers, per turn. A turn is short, so that sockets are polled often. */
#define EVENTS_MAX 256
#define MARKED_MAX 64u
#define TICK_MS 1000
#define HURRY_MS 100

static ach_status_t loop_fail(const char *what)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", what, strerror(errno));
}

static void loop_wake(struct tcp_loop *loop)
{
    const uint64_t one = 1;

    while (write(loop->event, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static void release(struct tcp_loop *loop)
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

ach_status_t tcp_loop_create(struct tcp_loop **loop)
{
    struct epoll_event none = {.events = EPOLLIN};
    struct tcp_loop *l = malloc(sizeof(*l));
    ach_status_t status;

    if (!l)
        return loop_fail("no memory for connections");
    memset(l, 0, offsetof(struct tcp_loop, buffer));
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->door, NULL);
    pthread_mutex_init(&l->mark_lock, NULL);
    l->last = &l->first;
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->epoll < 0 || l->event < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->event, &none) != 0) {
        status = loop_fail("cannot wait for connections");
        release(l);
        return status;
    }
    *loop = l;
    return ACH_OK;
}

void tcp_loop_enter(struct tcp_loop *loop)
{
    pthread_mutex_lock(&loop->door);
    pthread_mutex_lock(&loop->lock);
    pthread_mutex_unlock(&loop->door);
}

void tcp_loop_leave(struct tcp_loop *loop)
{
    pthread_mutex_unlock(&loop->lock);
}

bool tcp_loop_try(struct tcp_loop *loop)
{
    bool taken;

    if (pthread_mutex_trylock(&loop->door) != 0)
        return false;
    taken = pthread_mutex_trylock(&loop->lock) == 0;
    pthread_mutex_unlock(&loop->door);
    return taken;
}

void tcp_loop_mark(struct tcp_peer *p)
{
    struct tcp_loop *loop = p->loop;
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
        loop_wake(loop);
}

static struct tcp_peer *take_marked(struct tcp_loop *loop)
{
    struct tcp_peer *p;

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

static void unmark(struct tcp_loop *loop, struct tcp_peer *p)
{
    struct tcp_peer **at = &loop->first;

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

static unsigned count_marked(struct tcp_loop *loop)
{
    unsigned n;

    pthread_mutex_lock(&loop->mark_lock);
    n = loop->n_marked;
    pthread_mutex_unlock(&loop->mark_lock);
    return n;
}

/* Serve only peers marked before this call: a peer that is marked again waits for the next turn. */
static void serve_marked(struct tcp_loop *loop)
{
    unsigned marked = count_marked(loop), n = marked < MARKED_MAX ? marked : MARKED_MAX;
    struct tcp_peer *p;

    while (n-- && (p = take_marked(loop)))
        p->class->marked(p);
}

static void serve_ready(struct tcp_loop *loop, const struct epoll_event *events, int n)
{
    uint64_t count;
    int i;

    for (i = 0; i < n; i++) {
        struct tcp_peer *p = events[i].data.ptr;

        if (!p)
            while (read(loop->event, &count, sizeof(count)) < 0 && errno == EINTR)
                ;
        else if (p->fd >= 0)
            p->class->ready(p, events[i].events);
    }
}

static void bury(struct tcp_peer *gone)
{
    while (gone) {
        struct tcp_peer *p = gone;

        gone = p->next;
        p->class->destroy(p);
    }
}

void tcp_loop_turn(struct tcp_loop *loop, int ms)
{
    struct epoll_event events[EVENTS_MAX];
    int n = epoll_wait(loop->epoll, events, EVENTS_MAX, ms);
    struct tcp_peer *gone;

    tcp_loop_enter(loop);
    serve_ready(loop, events, n);
    serve_marked(loop);
    loop->busy = loop->work && loop->work(loop->context);
    gone = loop->gone;
    loop->gone = NULL;
    tcp_loop_leave(loop);
    bury(gone);
}

long tcp_loop_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static long milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)(t.tv_sec % 1000000) * 1000 + t.tv_nsec / 1000000;
}

static int pause_of(struct tcp_loop *loop)
{
    if (count_marked(loop) || loop->busy)
        return 0;
    return !tcp_loop_ticking(loop) ? -1 : loop->hurry ? HURRY_MS : TICK_MS;
}

static void *run(void *context)
{
    struct tcp_loop *loop = context;
    long last = milliseconds();

    while (!__atomic_load_n(&loop->quit, __ATOMIC_ACQUIRE)) {
        long since;

        tcp_loop_turn(loop, pause_of(loop));
        since = milliseconds() - last;
        if (tcp_loop_ticking(loop) && (since < 0 || since >= (loop->hurry ? HURRY_MS : TICK_MS))) {
            last += since;
            tcp_loop_enter(loop);
            loop->tick(loop->context);
            tcp_loop_leave(loop);
        }
    }
    return NULL;
}

ach_status_t tcp_loop_start(struct tcp_loop *loop, void (*tick)(void *), void *context)
{
    loop->tick = tick;
    loop->context = context;
    errno = pthread_create(&loop->thread, NULL, run, loop);
    loop->running = !errno;
    return errno ? loop_fail("no thread for connections") : ACH_OK;
}

void tcp_loop_destroy(struct tcp_loop *loop)
{
    __atomic_store_n(&loop->quit, true, __ATOMIC_RELEASE);
    loop_wake(loop);
    if (loop->running)
        pthread_join(loop->thread, NULL);
    bury(loop->gone);
    release(loop);
}

ach_status_t tcp_loop_add(struct tcp_loop *loop, struct tcp_peer *p, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = p};

    p->loop = loop;
    p->fd = fd;
    p->events = events;
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &e) == 0
               ? ACH_OK
               : loop_fail("cannot wait for a connection");
}

void tcp_loop_want(struct tcp_peer *p, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = p};

    if (p->fd < 0 || p->events == events)
        return;
    p->events = events;
    epoll_ctl(p->loop->epoll, EPOLL_CTL_MOD, p->fd, &e);
}

void tcp_loop_hang_up(struct tcp_peer *p)
{
    if (p->fd < 0)
        return;
    epoll_ctl(p->loop->epoll, EPOLL_CTL_DEL, p->fd, NULL);
    close(p->fd);
    p->fd = -1;
}

void tcp_loop_remove(struct tcp_peer *p)
{
    if (p->gone)
        return;
    p->gone = true;
    tcp_loop_hang_up(p);
    unmark(p->loop, p);
    p->next = p->loop->gone;
    p->loop->gone = p;
    loop_wake(p->loop);
}
