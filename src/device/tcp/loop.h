/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop.h - one thread that waits for many sockets
 *
 * Who may call what at the same time
 *     achi_loop_mark: any thread. Everything about a peer: who holds the lock. The
 *     functions of a peer are called by the loop's thread, with the lock held.
 *
 * A peer that is removed is destroyed by the thread, after the events that may
 * still name it.
 */
#ifndef ACHI_LOOP_H
#define ACHI_LOOP_H

#include <ach/status.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#define ACHI_LOOP_BUFFER 65536u

struct achi_peer;

struct achi_peer_class {
    void (*ready)(struct achi_peer *p, uint32_t events); /* the socket is */
    void (*marked)(struct achi_peer *p);  /* achi_loop_mark was called; may be NULL */
    void (*destroy)(struct achi_peer *p); /* without the lock */
};

/* Somebody with a socket. The first member of whatever it is. */
struct achi_peer {
    const struct achi_peer_class *class;
    struct achi_loop *loop;
    int fd;
    uint32_t events;
    bool gone;
    bool marked;
    struct achi_peer *next; /* of those marked, or of those gone */
};

struct achi_loop {
    pthread_mutex_t lock; /* taken with achi_loop_enter */
    pthread_mutex_t door; /* held while waiting for the lock */
    pthread_t thread;
    int epoll, event;
    bool quit, running;
    void (*tick)(void *context); /* about each second; with the lock; may be NULL */
    bool (*work)(void *context); /* each turn; with the lock; true: there is more; may be NULL */
    void *context;
    bool hurry; /* tick ten times a second */
    bool busy;  /* work has more to do */
    struct achi_peer *gone;

    pthread_mutex_t mark_lock; /* of what follows */
    struct achi_peer *first, **last;
    unsigned n_marked;

    unsigned char buffer[ACHI_LOOP_BUFFER]; /* for the thread: to receive into */
};

/* The thread starts with achi_loop_start. */
ach_status_t achi_loop_create(struct achi_loop **loop);

/* The tick is set by any thread that has the lock, and looked at without it. */
static inline void (*achi_loop_tick(const struct achi_loop *loop))(void *)
{
    return __atomic_load_n(&loop->tick, __ATOMIC_RELAXED);
}

static inline void achi_loop_set_tick(struct achi_loop *loop, void (*tick)(void *))
{
    __atomic_store_n(&loop->tick, tick, __ATOMIC_RELAXED);
}

ach_status_t achi_loop_start(struct achi_loop *loop, void (*tick)(void *), void *context);

/* Ends the thread. All peers must be removed; those are destroyed. */
void achi_loop_destroy(struct achi_loop *loop);

/*
 * Take the lock. A thread with much to do gives it up only for a moment, in which another one
 * that waits for the lock alone may never get it; so each waits at the door first.
 */
void achi_loop_enter(struct achi_loop *loop);
void achi_loop_leave(struct achi_loop *loop);

ach_status_t achi_loop_add(struct achi_loop *loop, struct achi_peer *p, int fd, uint32_t events);
void achi_loop_want(struct achi_peer *p, uint32_t events);

/* Close its socket; its functions are not called for that any more. */
void achi_loop_hang_up(struct achi_peer *p);
void achi_loop_remove(struct achi_peer *p);

void achi_loop_mark(struct achi_peer *p);

/* One turn of the thread: wait so many ms, and do what there is. */
void achi_loop_turn(struct achi_loop *loop, int ms);

#endif
