/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop.h - wait for many descriptors
 *
 * One thread. Memory of a watch must stay valid until the turn in which it was removed has ended.
 */
#ifndef RELAY_LOOP_H
#define RELAY_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "anticipation.h"

struct relay_watch {
    void (*ready)(struct relay_watch *w, uint32_t events);
    int fd; /* 0: none */
    uint32_t events;
};

struct relay_loop {
    int epoll;
    struct relay_anticipation anticipation;
};

bool relay_loop_init(struct relay_loop *l);
void relay_loop_finish(struct relay_loop *l);
bool relay_loop_add(struct relay_loop *l, struct relay_watch *w, int fd, uint32_t events);
void relay_loop_want(struct relay_loop *l, struct relay_watch *w, uint32_t events);
void relay_loop_remove(struct relay_loop *l, struct relay_watch *w);

/* Wait until `until`, a time of CLOCK_BOOTTIME in nanoseconds, and handle the events. */
void relay_loop_turn(struct relay_loop *l, uint64_t until);

#endif
