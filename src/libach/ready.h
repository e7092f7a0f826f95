/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready.h - a descriptor that is readable while a handle has something to get
 *
 * The descriptor is an eventfd. The channel's writers do not know it. When a
 * message comes, the eventfd is written by the kernel, through an io_uring that
 * waits on the commit word, or by a helper thread that sleeps there. Both are
 * armed only while the handle has seen everything. When ach_unlink removes the
 * channel's name, its nudge ends the wait, and the eventfd is written once. A
 * function that moves the handle's cursor calls achi_ready_update afterwards,
 * which writes or drains the eventfd as needed and arms again.
 *
 * A ring works for the thread that created it. A handle that is used by another
 * thread gets a new ring, a few times; then it gets a helper thread.
 *
 * A kernel channel's descriptor is the device, which the kernel module makes
 * readable.
 *
 * A child of fork leaves its parent's descriptor alone.
 */
#ifndef ACHI_READY_H
#define ACHI_READY_H

#include <pthread.h>

#include "handle.h"

struct io_uring_cqe;
struct achi_sqe;

/*
 * An io_uring with a futex wait in it, and a second one on the commit word if the first is on
 * the wake word. Only for the thread that opened it.
 */
struct achi_ring {
    int fd;
    int eventfd;
    uint32_t owner;     /* thread id of the opener */
    bool up;            /* the eventfd was written, or is about to be, and not drained */
    bool known;         /* SQ_TASKRUN was clear after the last drain */
    int vain;           /* updates since the last drain that found nothing */
    bool armed;         /* the wait's completion has not been reaped */
    bool broken;        /* the kernel does not support this wait */
    uint32_t word;      /* the commit word when it was armed */
    uint64_t id;        /* user_data of the wait */
    uint64_t ending;    /* id of the previous wait until its completion is reaped; else 0 */
    uint64_t commit_id; /* user_data of the wait on the commit word */
    uint64_t ids;       /* the last id used */
    bool commit_armed;
    unsigned char *rings;
    size_t rings_size;
    struct achi_sqe *sqes;
    size_t sqes_size;
    uint32_t *sq_tail, *sq_flags, *cq_head, *cq_tail;
    uint32_t sq_mask, cq_mask;
    const struct io_uring_cqe *cqes;
};

struct ach_kernel_cursor;

/* The device of a kernel channel, and the state that was last stored in its cursor page. */
struct achi_device {
    int fd;  /* the handle's, unless that was opened by another process */
    bool up; /* made readable because the handle is canceled */
    uint32_t cancels;
    uint64_t seen;
    struct ach_kernel_cursor *cursor;
    size_t size;
};

/* A thread that waits for messages. The lock guards all fields behind it. */
struct achi_helper {
    pthread_t thread;
    struct achi_handle *handle;
    int eventfd;
    pthread_mutex_t lock;
    uint32_t calls; /* a futex: counts the reader's calls to the thread */
    uint64_t seen;  /* sequence that the reader has seen */
    bool armed;     /* write the eventfd when there is a later message */
    bool up;        /* the eventfd was written and not drained */
    unsigned vain;  /* updates that found nothing since it was drained */
    bool nameless;  /* the eventfd was written because the channel lost its name */
    bool stop;
};

struct achi_ready {
    int fd;
    uint64_t owner; /* the process that created the descriptor */
    enum ach_ready by;
    unsigned moves; /* times the ring moved to another thread */
    uint32_t told;  /* ach_cancel has written the eventfd, or is about to */
    struct achi_ring ring;
    struct achi_helper helper;
    struct achi_device device;
};

/*
 * Make the descriptor readable or not, as the channel and the cancel flag are
 * now. empty: the caller is about to return that there is no message. If there
 * is one after all, the descriptor is written even if it is readable: an
 * edge-triggered poller needs another edge.
 */
void achi_ready_update(const ach_channel_t *chan, bool empty);

/* Call it after the handle's cursor moved, or may have. */
static inline void achi_moved(const ach_channel_t *chan, bool empty)
{
    if (__builtin_expect(chan->priv->ready != NULL, 0))
        achi_ready_update(chan, empty);
}

/* The handle is canceled. Safe in a signal handler. */
void achi_ready_cancel(const struct achi_handle *h);

/* The mechanism that makes the handle's descriptor readable. */
enum ach_ready achi_ready_by(const struct achi_handle *h);

/* Wakes pollers of the descriptor, and frees everything. */
void achi_ready_close(struct achi_handle *h);

/* Is there a message or a cancel? If not, *word is the commit word that showed none. */
bool achi_ready_news(const ach_channel_t *chan, uint32_t *word);

/* Make the eventfd readable, or drain it. */
void achi_ready_signal(int fd);
void achi_ready_drain(int fd);

/* False: this system or process cannot have a ring. */
bool achi_ring_open(struct achi_ring *r, int eventfd);
void achi_ring_close(struct achi_ring *r);

/* told: ach_cancel wrote the eventfd. False: the kernel does not support this wait after all. */
bool achi_ring_update(struct achi_ring *r, const ach_channel_t *chan, bool told, bool empty);

/* The thread has the caller's scheduling policy and priority. False: it could not be started. */
bool achi_helper_start(struct achi_helper *t, struct achi_handle *h, int eventfd);
void achi_helper_stop(struct achi_helper *t);
void achi_helper_update(struct achi_helper *t, const ach_channel_t *chan, bool told, bool empty);

/* False, with errno. */
bool achi_device_open(struct achi_device *d, const struct achi_handle *h);
void achi_device_close(struct achi_device *d, const struct achi_handle *h);
void achi_device_update(struct achi_device *d, const ach_channel_t *chan);

#endif
