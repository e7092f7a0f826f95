/* SPDX-License-Identifier: BSD-3-Clause */
#include "deps_user.h"

#include "clock.h"
#include "futex.h"
#include "handle.h"

/*
 * Announce the commit in the wake word, then commit and wake (see wakefile.h). The fence pairs
 * with the one in achi_puts_wake: a waiter about to sleep on the commit word alone sets
 * commit_sleepers, then checks the lock.
 */
void achi_commit_wake(const struct achi_view *v, uint32_t add)
{
    const struct achi_handle *h = achi_handle_of(v);
    uint32_t *commit = &v->hdr->commit, word;
    bool both;

    if (!h->wake) {
        achi_futex_add_wake(commit, add, h->private_);
        return;
    }
    word = __atomic_load_n(commit, __ATOMIC_RELAXED);
    __atomic_store_n(h->wake, word + add, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    both = __atomic_load_n(&v->hdr->commit_sleepers, __ATOMIC_RELAXED) ||
           __atomic_load_n(&v->hdr->readonly_wake, __ATOMIC_RELAXED);
    /* The sequence is fixed while we hold the lock: the word cannot equal the last argument. */
    achi_futex_add_wake_at(h->wake, commit, add, both, ACHI_SEQ(word) ? 0 : ACHI_ONE_MESSAGE);
}

uint64_t achi_now(const struct achi_view *v)
{
    struct timespec t = {0};

    clock_gettime(v->clock, &t);
    return (uint64_t)t.tv_sec * (uint64_t)ACHI_NS_PER_S + (uint64_t)t.tv_nsec;
}
