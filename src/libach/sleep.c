/* SPDX-License-Identifier: BSD-3-Clause */
#include "sleep.h"

#include "../core/order.h"

unsigned achi_sleep_words(const struct achi_handle *h, const struct achi_seen *seen,
                          struct achi_futex_word *w)
{
    unsigned n = 0;

    if (h->sleeps_on_wake) /* first: the kernel queues in this order */
        w[n++] = (struct achi_futex_word){h->wake, seen->wake, false};
    w[n++] = (struct achi_futex_word){&h->view.hdr->commit, seen->commit, h->private_};
    return n;
}

/*
 * Set commit_sleepers. The fence pairs with the one in achi_commit_wake: if the lock is free after
 * it, no put is under way, and every later put sees commit_sleepers.
 */
static bool settle(struct achi_handle *h)
{
    struct ach_header *hdr = h->view.hdr;

    if (h->sleeps_on_wake || h->private_ || __atomic_load_n(&h->settled, __ATOMIC_RELAXED))
        return true;
    __atomic_store_n(&hdr->commit_sleepers, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&hdr->lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK)
        return false;
    __atomic_store_n(&h->settled, true, __ATOMIC_RELAXED);
    return true;
}

bool achi_puts_wake(struct achi_handle *h)
{
    return h->readonly ? achi_load(&h->view.hdr->readonly_wake, WAIT_READONLY) != 0 : settle(h);
}
