/* SPDX-License-Identifier: BSD-3-Clause */
#include "notice.h"

#include <sys/stat.h>

#include "futex.h"

/* The wake word changes first: a waiter that loads its new value sees all stores before that. */
static void announce_nudge(struct achi_handle *h)
{
    if (h->wake)
        __atomic_fetch_add(h->wake, ACHI_NUDGE, __ATOMIC_SEQ_CST);
}

void achi_nudge(struct achi_handle *h)
{
    announce_nudge(h);
    achi_futex_add_wake(&h->view.hdr->commit, ACHI_NUDGE, h->private_);
    if (h->wake)
        achi_futex_wake(h->wake, false);
}

void achi_nudge_own(struct achi_handle *h)
{
    if (!h->sleeps_on_wake) {
        achi_nudge(h);
        return;
    }
    announce_nudge(h);
    achi_futex_add_wake_at(h->wake, &h->view.hdr->commit, ACHI_NUDGE, false, 0);
}

bool achi_unlinked(const struct achi_handle *h)
{
    struct stat st;

    if (h->map == ACH_MAP_KERNEL)
        return __atomic_load_n(&h->view.hdr->state, __ATOMIC_RELAXED) != ACHI_LIVE;
    return h->fd >= 0 && fstat(h->fd, &st) == 0 && st.st_nlink == 0;
}

bool achi_nameless(const struct achi_handle *h)
{
    return __atomic_load_n(&h->view.hdr->state, __ATOMIC_RELAXED) == ACHI_UNLINKED ||
           achi_unlinked(h);
}

void achi_retire(struct achi_handle *h, enum achi_state state)
{
    struct ach_header *hdr = h->view.hdr;
    uint32_t live = ACHI_LIVE;

    if (h->readonly)
        return;
    if (state == ACHI_REPLACED)
        __atomic_store_n(&hdr->state, state, __ATOMIC_RELEASE);
    else /* a replaced channel stays so when its last name is removed */
        __atomic_compare_exchange_n(&hdr->state, &live, state, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    achi_nudge(h);
}
