/* SPDX-License-Identifier: BSD-3-Clause */
#include "deps_shim.h"

#include <string.h>

#include "chan.h"
#include "oracle.h"
#include "scheduler.h"

static unsigned copy_words = 1;
static uint64_t clock_ns;

void deps_reset(unsigned words)
{
    copy_words = words ? words : 1;
    clock_ns = 0;
}

static size_t piece(size_t n, size_t i)
{
    return n - i < 8 ? n - i : 8;
}

/* The contract of achi_copy_in and achi_copy_out: in the channel, aligned, room for whole words. */
static bool copy_allowed(const unsigned char *p, size_t n)
{
    if (!chan_holds(p, (n + 7) & ~(size_t)7))
        oracle_fail("a copy of %zu bytes leaves the channel's memory", n);
    else if ((uintptr_t)p % 16)
        oracle_fail("a copy's place is not aligned to 16 bytes");
    else
        return true;
    return false;
}

void achi_copy_in(void *chan, const void *src, size_t n)
{
    unsigned char *to = chan;
    size_t i;

    if (!copy_allowed(to, n))
        return;
    for (i = 0; i < n; i += 8) {
        uint64_t w = 0;

        if (i && i / 8 % copy_words == 0)
            shim_step(SHIM_COPY_IN);
        memcpy(&w, (const unsigned char *)src + i, piece(n, i));
        __atomic_store_n((uint64_t *)(void *)chan_real_place(to + i), w, __ATOMIC_RELAXED);
    }
}

void achi_copy_out(void *dst, const void *chan, size_t n)
{
    unsigned char *from = (unsigned char *)(uintptr_t)chan;
    size_t i;

    if (!copy_allowed(from, n))
        return;
    for (i = 0; i < n; i += 8) {
        uint64_t w;

        if (i && i / 8 % copy_words == 0)
            shim_step(SHIM_COPY_OUT);
        w = __atomic_load_n((uint64_t *)(void *)chan_real_place(from + i), __ATOMIC_RELAXED);
        memcpy((unsigned char *)dst + i, &w, piece(n, i));
    }
}

/* The scheduler implements the lock, so the word's value is not used. */
static void check_lock_word(const struct achi_view *v, const uint32_t *word)
{
    if (word != &v->hdr->lock)
        oracle_fail("that is not the lock word");
}

enum ach_status achi_lock(const struct achi_view *v, uint32_t *word)
{
    enum ach_status r;

    check_lock_word(v, word);
    shim_step(SHIM_LOCK);
    r = sched_lock();
    if (r == ACH_OK)
        oracle_locked();
    return r;
}

void achi_unlock(const struct achi_view *v, uint32_t *word)
{
    check_lock_word(v, word);
    shim_step(SHIM_UNLOCK);
    sched_unlock();
}

void achi_commit_wake(const struct achi_view *v, uint32_t add)
{
    __atomic_fetch_add(&v->hdr->commit, add, __ATOMIC_ACQ_REL);
    sched_wake();
}

uint64_t achi_now(const struct achi_view *v)
{
    (void)v;
    return clock_ns += 1000;
}

uint64_t deps_last_stamp(void)
{
    return clock_ns;
}
