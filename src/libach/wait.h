/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.h - sleeping until a channel has something new */
#ifndef ACHI_WAIT_H
#define ACHI_WAIT_H

#include <ach.h>
#include <pthread.h>

#include "handle.h"

/* When to give up. */
struct achi_deadline {
    bool forever;
    clockid_t clock;
    struct timespec at;
};

_Static_assert(sizeof(sig_atomic_t) == sizeof(uint32_t), "cancel is a futex");

static inline const uint32_t *achi_cancel_word(const ach_channel_t *chan)
{
    return (const uint32_t *)(uintptr_t)&chan->cancel;
}

static inline bool achi_canceled(const ach_channel_t *chan)
{
    return __atomic_load_n(achi_cancel_word(chan), __ATOMIC_RELAXED) != 0;
}

/* From a function's timeout argument. ACH_EINVAL: a point in time with invalid nanoseconds. */
enum ach_status achi_deadline_init(struct achi_deadline *d, const struct timespec *timeout,
                                   clockid_t clock, int options);

/*
 * Set the thread's cancelability type, so that pthread_cancel ends a system call that sleeps;
 * returns the old type. No lock is held and nothing is allocated meanwhile.
 */
static inline int achi_cancelable(int type)
{
    int old = PTHREAD_CANCEL_DEFERRED;

    pthread_setcanceltype(type, &old);
    return old;
}

/*
 * Sleep while the handle's commit word is word. ACH_OK: check again, also after
 * a cancel; ACH_TIMEOUT; with ACH_O_LINKED, ACH_ENOENT: the channel was
 * unlinked.
 */
enum ach_status achi_sleep(ach_channel_t *chan, uint32_t word, const struct achi_deadline *d,
                           int options);

/*
 * Sleep on all channels of an ach_wait once, by their descriptors. ACH_OK:
 * check again, unless *ready counts unlinked channels; with ACH_O_INTERRUPT,
 * ACH_EINTR: a signal handler has run.
 */
enum ach_status achi_poll_all(ach_wait_item_t *items, size_t n, const struct achi_deadline *d,
                              int options, size_t *ready);

#endif
