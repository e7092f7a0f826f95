/* SPDX-License-Identifier: BSD-3-Clause */
/* sleep.h - the words that a handle sleeps on, and whether a put wakes it there */
#ifndef ACHI_SLEEP_H
#define ACHI_SLEEP_H

#include "futex.h"
#include "handle.h"

/* The longest sleep, in nanoseconds: a waiter checks again after it. */
#define ACHI_SLICE_NS 1000000000ll

/* The longest sleep while a put may not wake the waiter. */
#define ACHI_BRIEF_SLICE_NS 1000000ll

/* The most words that a handle sleeps on. */
#define ACHI_SLEEP_WORDS 2

/* The values that a waiter has seen: it sleeps while the words have them. */
struct achi_seen {
    uint32_t commit;
    uint32_t wake; /* unused if the handle does not sleep there */
};

/* The commit word as seen before, and the wake word as it is now. */
static inline struct achi_seen achi_seen(const struct achi_handle *h, uint32_t commit)
{
    return (struct achi_seen){
        .commit = commit,
        .wake = h->sleeps_on_wake ? __atomic_load_n(h->wake, __ATOMIC_RELAXED) : 0,
    };
}

/*
 * Fill in the words that a handle sleeps on, and return how many: the wake word if it has one,
 * then the commit word. A read-only handle's cancel word is not among them.
 */
unsigned achi_sleep_words(const struct achi_handle *h, const struct achi_seen *seen,
                          struct achi_futex_word *w);

/*
 * Does every put from now on wake this handle? The first time, a handle that sleeps on the commit
 * word alone sets commit_sleepers for the writers. False: a put under way may not have seen that,
 * or the channel does not wake read-only handles. Then sleep for ACHI_BRIEF_SLICE_NS, and call
 * this again.
 */
bool achi_puts_wake(struct achi_handle *h);

#endif
