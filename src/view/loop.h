/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop.h - descriptors and timers of the server, besides its connections
 *
 * All of them are behind one descriptor, which the loop of the web server watches. One thread. A
 * function that is called may add and remove watches and timers, also its own.
 */
#ifndef VIEW_LOOP_H
#define VIEW_LOOP_H

#include <stdbool.h>
#include <stdint.h>

typedef void view_ready_t(void *context);

/* In the memory of its owner. */
struct view_watch {
    int fd;
    view_ready_t *ready;
    void *context;
};

struct view_timer {
    view_ready_t *due;
    void *context;
    uint64_t when; /* CLOCK_MONOTONIC, in nanoseconds; 0: it is not set */
    struct view_timer *next;
};

struct view_loop {
    int epoll, alarm;
    uint64_t alarm_at; /* 0: not set */
    struct view_timer *timers;
};

/* False: see errno. */
bool view_loop_init(struct view_loop *l);
void view_loop_finish(struct view_loop *l);

/* Call ready while the descriptor is readable. False: see errno. */
bool view_loop_add(struct view_loop *l, struct view_watch *w);
void view_loop_remove(struct view_loop *l, struct view_watch *w); /* before its fd is closed */

/* Call due once at this time, and not at the one that was set before. UINT64_MAX: never. */
void view_timer_set(struct view_loop *l, struct view_timer *t, uint64_t when);
void view_timer_stop(struct view_loop *l, struct view_timer *t);

uint64_t view_now(void);

/*
 * Do what is due, for some milliseconds: what is left is done in the next turn. Call it when the descriptor `epoll`
 * is readable.
 */
void view_loop_turn(struct view_loop *l);

#endif
