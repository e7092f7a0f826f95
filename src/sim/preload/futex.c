/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * futex.c - futexes, which C++ and Rust wait with
 *
 * A waiter compares the word and enters the list under one lock. A waker changes the word, then
 * takes the lock and marks waiters: so none is missed. Wake-ups for nothing are allowed; a wake
 * of futexes that another process may share is also the kernel's.
 */
#include "futex.h"

#include <errno.h>
#include <linux/futex.h>

#include "pending.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#define OP_MASK 127

struct waiter {
    const uint32_t *word;
    uint32_t value, bits;
    bool woken, shared;
    struct waiter *next;
};

static struct waiter *waiters;
static unsigned waiting; /* counted before the word is compared */
static char lock;

void achi_futexes_forget(void)
{
    waiters = NULL;
    waiting = 0;
    lock = 0;
}

static bool enter(struct waiter *w)
{
    struct achi_guard g;
    bool same;

    achi_guard_enter(&g, &lock);
    same = __atomic_load_n(w->word, __ATOMIC_SEQ_CST) == w->value;
    if (same) {
        w->next = waiters;
        waiters = w;
    }
    achi_guard_leave(&g, &lock);
    return same;
}

static void leave(const struct waiter *w)
{
    struct waiter **p;
    struct achi_guard g;

    achi_guard_enter(&g, &lock);
    for (p = &waiters; *p && *p != w; p = &(*p)->next)
        ;
    if (*p)
        *p = w->next;
    achi_guard_leave(&g, &lock);
}

/* What another process, or the C library, does to the word is seen at the next step of the world. */
static bool look_at_futex(void *cx)
{
    const struct waiter *w = cx;

    return __atomic_load_n(&w->woken, __ATOMIC_ACQUIRE) ||
           (w->shared && __atomic_load_n(w->word, __ATOMIC_SEQ_CST) != w->value);
}

static long wait(const uint32_t *word, uint32_t value, uint32_t bits, int64_t until, bool shared)
{
    struct waiter w = {word, value, bits, false, shared, NULL};
    struct achi_events e = {.signals = ACHI_RESTARTS};
    bool entered, found = false;

    if (bits == 0)
        return -EINVAL;
    achi_local_post_pending();
    achi_sim_act();
    achi_events_add(&e, achi_local_event(word));
    if (shared)
        achi_events_add(&e, ACHI_EVENT_POLL);
    achi_local_enter(e.at[0]);
    __atomic_fetch_add(&waiting, 1, __ATOMIC_SEQ_CST);
    entered = enter(&w);
    if (entered) {
        found = achi_block(until, &e, look_at_futex, &w);
        leave(&w);
    }
    __atomic_fetch_sub(&waiting, 1, __ATOMIC_SEQ_CST);
    achi_local_leave(e.at[0]);
    if (!entered)
        return -EAGAIN;
    return found ? 0 : e.interrupted ? -EINTR : -ETIMEDOUT;
}

/* Those who wait longest are the last in the list. */
static struct waiter *oldest(const uint32_t *word, uint32_t bits)
{
    struct waiter *w, *found = NULL;

    for (w = waiters; w; w = w->next)
        if (w->word == word && !w->woken && (w->bits & bits))
            found = w;
    return found;
}

static long mark(const uint32_t *word, uint32_t bits, long most)
{
    struct achi_guard g;
    struct waiter *w;
    long n = 0;

    achi_guard_enter(&g, &lock);
    while (n < most && (w = oldest(word, bits))) {
        __atomic_store_n(&w->woken, true, __ATOMIC_RELEASE);
        n++;
    }
    achi_guard_leave(&g, &lock);
    return n;
}

/* Threads that are further behind must not be woken before the caller's time. */
static long wake(const uint32_t *word, uint32_t bits, long most)
{
    long n;

    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with the count in wait */
    if (!__atomic_load_n(&waiting, __ATOMIC_SEQ_CST))
        return 0;
    achi_sim_act();
    n = mark(word, bits, most);
    if (n)
        achi_local_post(achi_local_event(word));
    return n;
}

struct lock_pi {
    long word;
    long flags, r;
};

static bool look_at_pi(void *cx)
{
    struct lock_pi *l = cx;

    l->r = achi_raw(SYS_futex, l->word, FUTEX_TRYLOCK_PI | l->flags, 0, 0, 0, 0);
    return l->r != -EAGAIN;
}

static long lock_pi(long word, long flags, int64_t until)
{
    struct lock_pi l = {word, flags & FUTEX_PRIVATE_FLAG, 0};
    struct achi_events e = {.signals = ACHI_GOES_ON};
    achi_event_t event = achi_local_event((const void *)word);

    achi_events_add(&e, event);
    achi_events_add(&e, ACHI_EVENT_POLL);
    achi_local_enter(event);
    if (!achi_block(until, &e, look_at_pi, &l))
        l.r = -ETIMEDOUT;
    achi_local_leave(event);
    return l.r;
}

static int64_t point(long op, const struct timespec *t)
{
    return achi_clock_point(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
}

static bool valid(const struct timespec *t)
{
    return !t || (t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S);
}

static long add_kernel(long n, const long a[6])
{
    long r = achi_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);

    return r < 0 ? (n ? n : r) : r + n;
}

long achi_futex(const long a[6], const struct timespec *t, bool trapped)
{
    const uint32_t *word = (const uint32_t *)a[0], *other = (const uint32_t *)a[4];
    uint32_t value = (uint32_t)a[2];
    bool shared = trapped || !(a[1] & FUTEX_PRIVATE_FLAG);

    switch (a[1] & OP_MASK) {
    case FUTEX_WAIT:
        if (!valid(t))
            return -EINVAL;
        return wait(word, value, FUTEX_BITSET_MATCH_ANY,
                    t ? achi_after(achi_sim_now(), achi_ns(t)) : ACHI_SIM_NEVER, shared);
    case FUTEX_WAIT_BITSET:
        if (!valid(t))
            return -EINVAL;
        return wait(word, value, (uint32_t)a[5], t ? point(a[1], t) : ACHI_SIM_NEVER, shared);
    case FUTEX_LOCK_PI: /* always CLOCK_REALTIME */
        return lock_pi(a[0], a[1], t ? achi_clock_point(CLOCK_REALTIME, t) : ACHI_SIM_NEVER);
    case FUTEX_LOCK_PI2:
        return lock_pi(a[0], a[1], t ? point(a[1], t) : ACHI_SIM_NEVER);
    case FUTEX_WAKE:
        return add_kernel(wake(word, FUTEX_BITSET_MATCH_ANY, (long)(int)value), a);
    case FUTEX_WAKE_BITSET:
        return add_kernel(wake(word, (uint32_t)a[5], (long)(int)value), a);
    case FUTEX_UNLOCK_PI: {
        long r = achi_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);

        achi_local_post(achi_local_event(word));
        return r;
    }
    case FUTEX_REQUEUE: /* those that would be moved wake up instead, for nothing */
    case FUTEX_CMP_REQUEUE:
        if ((a[1] & OP_MASK) == FUTEX_CMP_REQUEUE &&
            __atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[5])
            return -EAGAIN;
        return add_kernel(wake(word, FUTEX_BITSET_MATCH_ANY, INT32_MAX), a);
    case FUTEX_WAKE_OP: {
        long r = achi_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);

        if (r < 0)
            return r;
        return r + wake(word, FUTEX_BITSET_MATCH_ANY, (long)(int)value) +
               wake(other, FUTEX_BITSET_MATCH_ANY, INT32_MAX);
    }
    default:
        return ACHI_FUTEX_UNKNOWN;
    }
}
