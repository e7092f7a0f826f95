/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop.h - one thread that waits for many sockets
 *
 * Thread safety
 *     tcp_loop_mark: any thread. All other functions on a peer: the holder of the lock. The
 *     callbacks of a peer run in the loop's thread, with the lock held, except destroy.
 *
 * A removed peer is destroyed by the loop's thread, after all events that may still
 * point to it.
 */
#ifndef TCP_LOOP_H
#define TCP_LOOP_H

#include <ach/status.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#define TCP_LOOP_BUFFER 65536u

struct tcp_peer;

struct tcp_peer_class {
    void (*ready)(struct tcp_peer *p, uint32_t events); /* the socket is ready */
    void (*marked)(struct tcp_peer *p);                 /* tcp_loop_mark was called; may be NULL */
    void (*destroy)(struct tcp_peer *p);                /* without the lock */
};

/* A socket in the loop. Must be the first member of the struct that embeds it. */
struct tcp_peer {
    const struct tcp_peer_class *class;
    struct tcp_loop *loop;
    int fd;
    uint32_t events;
    bool gone;
    bool marked;
    struct tcp_peer *next; /* in the list of marked or of removed peers */
};

struct tcp_loop {
    pthread_mutex_t lock; /* taken with tcp_loop_enter */
    pthread_mutex_t door; /* taken before the lock, for fairness: see tcp_loop_enter */
    pthread_t thread;
    int epoll, event;
    bool quit, running;
    void (*tick)(void *context); /* about each second while ticking; with the lock */
    bool ticking;
    bool (*work)(void *context); /* each turn; with the lock; true: there is more; may be NULL */
    void *context;
    bool hurry; /* tick ten times a second */
    bool busy;  /* work has more to do */
    struct tcp_peer *gone;

    pthread_mutex_t mark_lock; /* guards first, last, n_marked */
    struct tcp_peer *first, **last;
    unsigned n_marked;

    unsigned char buffer[TCP_LOOP_BUFFER]; /* for the thread: to receive into */
};

/* The thread starts with tcp_loop_start. */
ach_status_t tcp_loop_create(struct tcp_loop **loop);

/* Call tick each second, or no more. Set with the lock held, read without it. */
static inline void tcp_loop_set_ticking(struct tcp_loop *loop, bool ticking)
{
    __atomic_store_n(&loop->ticking, ticking, __ATOMIC_RELAXED);
}

static inline bool tcp_loop_ticking(const struct tcp_loop *loop)
{
    return __atomic_load_n(&loop->ticking, __ATOMIC_RELAXED);
}

/* Seconds of CLOCK_MONOTONIC. */
long tcp_loop_seconds(void);

ach_status_t tcp_loop_start(struct tcp_loop *loop, void (*tick)(void *), void *context);

/* Ends the thread. All peers must have been removed; they are destroyed here. */
void tcp_loop_destroy(struct tcp_loop *loop);

/*
 * Take the lock, fairly: a busy loop thread releases the lock so briefly that a waiter could
 * starve. So this takes the mutex `door` first, and the loop queues there behind a waiter.
 */
void tcp_loop_enter(struct tcp_loop *loop);
void tcp_loop_leave(struct tcp_loop *loop);

/* Take the lock if nobody has it or waits for it. */
bool tcp_loop_try(struct tcp_loop *loop);

ach_status_t tcp_loop_add(struct tcp_loop *loop, struct tcp_peer *p, int fd, uint32_t events);
void tcp_loop_want(struct tcp_peer *p, uint32_t events);

/* Close its socket; `ready` is not called any more. */
void tcp_loop_hang_up(struct tcp_peer *p);
void tcp_loop_remove(struct tcp_peer *p);

void tcp_loop_mark(struct tcp_peer *p);

/* One iteration: wait at most @ms milliseconds for events and handle them. For fuzz/wire.c. */
void tcp_loop_turn(struct tcp_loop *loop, int ms);

#endif
