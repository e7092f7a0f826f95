/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * queue.h - messages on their way from the thread that reads to the thread that writes
 *
 * One thread puts, one takes. The memory is bounded: what does not fit is not taken, and the thread that
 * puts never waits. While the queue is armed, nothing is taken, and the oldest entries may be dropped.
 *
 * Positions count bytes since the beginning. An entry never wraps around the end of the memory. An empty queue
 * starts over at the beginning of the memory, so that a writer that keeps up uses little of it.
 */
#ifndef RECORD_QUEUE_H
#define RECORD_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_topic;

/* A message; its bytes follow. */
struct record_entry {
    uint64_t size;                 /* with the bytes and the padding */
    struct record_topic *topic;    /* NULL: the rest of the memory is not used */
    uint64_t overwritten, dropped; /* right before it; see struct record_lost */
    int64_t put;                   /* wall clock */
    int64_t got;                   /* CLOCK_MONOTONIC */
    uint64_t length;
    uint32_t sequence;  /* the low bits */
    uint32_t oversized; /* as overwritten */
};

struct record_queue {
    unsigned char *bytes;
    uint64_t room;
    uint64_t head, tail; /* where the next entry is put, and taken */
    bool armed, ended, sleeping;
    pthread_mutex_t lock;
    pthread_cond_t filled;
};

/* False: see errno. */
bool record_queue_init(struct record_queue *q, size_t room, bool armed);
void record_queue_finish(struct record_queue *q);

/* Does a message fit when the queue is empty? */
bool record_queue_fits(const struct record_queue *q, size_t length);

/* For the thread that puts: NULL: it does not fit now. Otherwise fill the entry and add it. */
struct record_entry *record_queue_reserve(struct record_queue *q, size_t length);
void record_queue_add(struct record_queue *q, const struct record_entry *e);

/* While it is armed: the oldest entry, or NULL; drop it. */
struct record_entry *record_queue_oldest(struct record_queue *q);
void record_queue_drop(struct record_queue *q);

/* Wake the other thread if there are entries. */
void record_queue_wake(struct record_queue *q);
void record_queue_release(struct record_queue *q); /* no longer armed */
void record_queue_end(struct record_queue *q);

/*
 * For the thread that takes: the next entry. Waits until a time on CLOCK_MONOTONIC, in nanoseconds; INT64_MAX:
 * without limit. NULL: there is none, and *ended if there will be none.
 */
struct record_entry *record_queue_next(struct record_queue *q, int64_t until, bool *ended);
void record_queue_done(struct record_queue *q, const struct record_entry *e);

#endif
