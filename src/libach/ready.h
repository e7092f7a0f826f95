/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready.h - a descriptor that is readable while a handle has something to get
 *
 * The descriptor is an eventfd. Somebody must write it when a message comes,
 * and no writer of the channel shall know of it: either the kernel does, by an
 * io_uring that waits on the commit word, or a helper thread does that sleeps
 * there. Both are armed only while the handle has seen everything. Who moves
 * the handle's cursor calls achi_ready_update afterwards, which makes the
 * eventfd say what is true now and arms again.
 *
 * A ring works for the thread that made it. A handle that is used by another
 * thread gets a new ring, a few times; then it gets a helper thread.
 *
 * A kernel channel's descriptor is the device, which knows by itself.
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
 * An io_uring with a wait in it, and one on the commit word if that is not what it waits on. For
 * the thread that opened it.
 */
struct achi_ring {
    int fd;
    int eventfd;
    uint32_t owner;     /* the thread */
    bool up;            /* the eventfd was written, or is about to be, and not drained */
    bool known;         /* the ring's flag was down after the last drain */
    int vain;           /* updates since then that found nothing */
    bool armed;         /* the wait's completion has not been taken */
    bool broken;        /* the kernel cannot wait so */
    uint32_t word;      /* the commit word that it waits on */
    uint64_t id;        /* of the wait */
    uint64_t ending;    /* the wait before, if its completion has not been taken */
    uint64_t commit_id; /* of the wait on the commit word */
    uint64_t ids;       /* how many there were */
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

/* The device of a kernel channel, and what it was told. */
struct achi_device {
    int fd;  /* the handle's, unless that was opened by another process */
    bool up; /* made readable because the handle is canceled */
    uint32_t cancels;
    uint64_t seen;
    struct ach_kernel_cursor *cursor;
    size_t size;
};

/* A thread that waits. The lock guards all that follows it. */
struct achi_helper {
    pthread_t thread;
    struct achi_handle *handle;
    int eventfd;
    pthread_mutex_t lock;
    uint32_t calls; /* a futex: counts what the thread was told */
    uint64_t seen;  /* how far the reader is */
    bool armed;     /* write the eventfd when there is more */
    bool up;        /* the eventfd was written and not drained */
    unsigned vain;  /* updates that found nothing since it was drained */
    bool stop;
};

struct achi_ready {
    int fd;
    uint64_t owner; /* the process whose descriptor it is */
    enum ach_ready by;
    unsigned moves; /* from thread to thread */
    uint32_t told;  /* ach_cancel writes the eventfd */
    struct achi_ring ring;
    struct achi_helper helper;
    struct achi_device device;
};

/*
 * Make the descriptor say what is true now. empty: the caller is about to hear
 * that there is nothing. If there is something after all, the descriptor is
 * written even if it is readable: who waits for edges needs another one.
 */
void achi_ready_update(const ach_channel_t *chan, bool empty);

/* The handle's cursor has moved, or may have. */
static inline void achi_moved(const ach_channel_t *chan, bool empty)
{
    if (__builtin_expect(chan->priv->ready != NULL, 0))
        achi_ready_update(chan, empty);
}

/* The handle is canceled. Safe in a signal handler. */
void achi_ready_cancel(const struct achi_handle *h);

/* What tells the handle's descriptor. */
enum ach_ready achi_ready_by(const struct achi_handle *h);

/* Wakes who polls the descriptor, and frees everything. */
void achi_ready_close(struct achi_handle *h);

/* Is there something to get? If not, *word is the commit word that said so. */
bool achi_ready_news(const ach_channel_t *chan, uint32_t *word);

/* The eventfd: make it readable, or not. */
void achi_ready_signal(int fd);
void achi_ready_drain(int fd);

/* False: this system or process cannot have a ring. */
bool achi_ring_open(struct achi_ring *r, int eventfd);
void achi_ring_close(struct achi_ring *r);

/* told: somebody else wrote the eventfd. False: the kernel cannot wait so after all. */
bool achi_ring_update(struct achi_ring *r, const ach_channel_t *chan, bool told, bool empty);

/* The thread has the caller's scheduling policy and priority. False: no thread. */
bool achi_helper_start(struct achi_helper *t, struct achi_handle *h, int eventfd);
void achi_helper_stop(struct achi_helper *t);
void achi_helper_update(struct achi_helper *t, const ach_channel_t *chan, bool told, bool empty);

/* False, with errno. */
bool achi_device_open(struct achi_device *d, const struct achi_handle *h);
void achi_device_close(struct achi_device *d, const struct achi_handle *h);
void achi_device_update(struct achi_device *d, const ach_channel_t *chan);

#endif
