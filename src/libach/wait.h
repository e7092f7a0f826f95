/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.h - sleeping until a channel has something new */
#ifndef ACHI_WAIT_H
#define ACHI_WAIT_H

#include <ach.h>

#include "futex.h"
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

/* From a function's timeout argument. ACH_EINVAL for what is no time. */
enum ach_status achi_deadline_init(struct achi_deadline *d, const struct timespec *timeout,
                                   clockid_t clock, int options);

/*
 * Sleep while the handle's commit word is word. ACH_OK: look again;
 * ACH_TIMEOUT; ACH_CANCELED; ACH_ENOENT as ACH_O_LINKED asks.
 */
enum ach_status achi_sleep(ach_channel_t *chan, uint32_t word, const struct achi_deadline *d,
                           int options);

/*
 * Sleep on all channels of an ach_wait once, by their descriptors. ACH_OK: look
 * again, unless *ready counts channels that have lost their name.
 */
enum ach_status achi_poll_all(ach_wait_item_t *items, size_t n, const struct achi_deadline *d,
                              int options, size_t *ready);

/* No sleep lasts longer than this, in nanoseconds: a waiter looks again after it. */
#define ACHI_SLICE_NS 1000000000ll

/* The most words that a handle sleeps on. */
#define ACHI_SLEEP_WORDS 2

/*
 * Fill in the words that a handle sleeps on while the commit word is word, and return how many:
 * the wake word if it has one, then the commit word. A read-only handle's cancel word is not
 * among them.
 */
unsigned achi_sleep_words(const struct achi_handle *h, uint32_t word, struct achi_futex_word *w);

/*
 * Tell writers of a handle that can write and sleeps on the commit word alone.
 * False: a put that is under way may not know yet, so sleep briefly and ask again.
 */
bool achi_settle(struct achi_handle *h);

/*
 * Have everybody who waits on the channel look again, also those who are just
 * about to sleep. The handle can write. Safe in a signal handler.
 */
void achi_nudge(struct achi_handle *h);

/* Wait until no thread of this process is within ach_cancel. */
void achi_await_cancels(void);

#endif
