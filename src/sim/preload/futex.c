/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * futex.c - futexes, which C++ and Rust use to wait
 *
 * A waiter compares the word and enters the list under one lock. A waker changes the word, then
 * takes the lock and marks waiters: so no wake-up is lost. Spurious wake-ups are allowed. Each wake
 * is also passed to the kernel, since another process may wait on the same futex.
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

void simp_futexes_forget(void)
{
    waiters = NULL;
    waiting = 0;
    lock = 0;
}

static bool enter(struct waiter *w)
{
    struct simp_guard g;
    bool same;

    simp_guard_enter(&g, &lock);
    same = __atomic_load_n(w->word, __ATOMIC_SEQ_CST) == w->value;
    if (same) {
        w->next = waiters;
        waiters = w;
    }
    simp_guard_leave(&g, &lock);
    return same;
}

static void leave(const struct waiter *w)
{
    struct waiter **p;
    struct simp_guard g;

    simp_guard_enter(&g, &lock);
    for (p = &waiters; *p && *p != w; p = &(*p)->next)
        ;
    if (*p)
        *p = w->next;
    simp_guard_leave(&g, &lock);
}

/* Changes of the word by another process, or by the C library, are seen at the next world step. */
static bool look_at_futex(void *cx)
{
    const struct waiter *w = cx;

    return __atomic_load_n(&w->woken, __ATOMIC_ACQUIRE) ||
           (w->shared && __atomic_load_n(w->word, __ATOMIC_SEQ_CST) != w->value);
}

static long wait(const uint32_t *word, uint32_t value, uint32_t bits, int64_t until, bool shared)
{
    struct waiter w = {word, value, bits, false, shared, NULL};
    struct simp_events e = {.signals = SIMP_RESTARTS, .steady = true};
    bool entered, found = false;

    if (bits == 0)
        return -EINVAL;
    simp_local_post_pending();
    simc_act();
    simp_events_add(&e, simp_local_event(word));
    if (shared)
        simp_events_add(&e, SIM_EVENT_POLL);
    simp_local_enter(e.at[0]);
    __atomic_fetch_add(&waiting, 1, __ATOMIC_SEQ_CST);
    entered = enter(&w);
    if (entered) {
        found = simp_block(until, &e, look_at_futex, &w);
        leave(&w);
    }
    __atomic_fetch_sub(&waiting, 1, __ATOMIC_SEQ_CST);
    simp_local_leave(e.at[0]);
    if (!entered)
        return -EAGAIN;
    return found ? 0 : e.interrupted ? -EINTR : -ETIMEDOUT;
}

/* New waiters are added at the front, so the last match has waited longest. */
static struct waiter *oldest(const uint32_t *word, uint32_t bits)
{
    struct waiter *w, *found = NULL;

    for (w = waiters; w; w = w->next)
        if (w->word == word && !w->woken && (w->bits & bits))
            found = w;
    return found;
}

static long futex_mark(const uint32_t *word, uint32_t bits, long most)
{
    struct simp_guard g;
    struct waiter *w;
    long n = 0;

    simp_guard_enter(&g, &lock);
    while (n < most && (w = oldest(word, bits))) {
        __atomic_store_n(&w->woken, true, __ATOMIC_RELEASE);
        n++;
    }
    simp_guard_leave(&g, &lock);
    return n;
}

/* simc_act first: a thread that is behind in time must not be woken before the caller's time. */
static long wake(const uint32_t *word, uint32_t bits, long most)
{
    long n;

    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with the count in wait */
    if (!__atomic_load_n(&waiting, __ATOMIC_SEQ_CST))
        return 0;
    simc_act();
    n = futex_mark(word, bits, most);
    if (n)
        simp_local_post(simp_local_event(word));
    return n;
}

struct lock_pi {
    long word;
    long flags, r;
};

static bool look_at_pi(void *cx)
{
    struct lock_pi *l = cx;

    l->r = simc_raw(SYS_futex, l->word, FUTEX_TRYLOCK_PI | l->flags, 0, 0, 0, 0);
    return l->r != -EAGAIN;
}

static long lock_pi(long word, long flags, int64_t until)
{
    struct lock_pi l = {word, flags & FUTEX_PRIVATE_FLAG, 0};
    struct simp_events e = {.signals = SIMP_GOES_ON, .steady = true};
    sim_event_t event = simp_local_event((const void *)word);

    simp_events_add(&e, event);
    simp_events_add(&e, SIM_EVENT_POLL);
    simp_local_enter(event);
    if (!simp_block(until, &e, look_at_pi, &l))
        l.r = -ETIMEDOUT;
    simp_local_leave(event);
    return l.r;
}

static int64_t futex_point(long op, const struct timespec *t)
{
    return simp_clock_point(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
}

/* The kernel's checks. CLOCK_REALTIME is only for operations with an absolute time. */
static long futex_check(const long a[6], const struct timespec *t)
{
    const long op = a[1] & OP_MASK;

    if (t && !simp_timespec_valid(t))
        return -EINVAL;
    if ((a[1] & FUTEX_CLOCK_REALTIME) && op != FUTEX_WAIT_BITSET && op != FUTEX_LOCK_PI2 &&
        op != FUTEX_WAIT_REQUEUE_PI)
        return -ENOSYS;
    return (unsigned long)a[0] % sizeof(uint32_t) ? -EINVAL : 0;
}

static long add_kernel(long n, const long a[6])
{
    long r = simc_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);

    return r < 0 ? (n ? n : r) : r + n;
}

long simp_futex(const long a[6], const struct timespec *t, bool trapped)
{
    const uint32_t *word = (const uint32_t *)a[0], *other = (const uint32_t *)a[4];
    uint32_t value = (uint32_t)a[2];
    bool shared = trapped || !(a[1] & FUTEX_PRIVATE_FLAG);
    long wrong = futex_check(a, t);

    if (wrong)
        return wrong;
    switch (a[1] & OP_MASK) {
    case FUTEX_WAIT:
        return wait(word, value, FUTEX_BITSET_MATCH_ANY,
                    t ? simp_after(simc_now(), simp_ns(t)) : SIM_NEVER, shared);
    case FUTEX_WAIT_BITSET:
        return wait(word, value, (uint32_t)a[5], t ? futex_point(a[1], t) : SIM_NEVER, shared);
    case FUTEX_LOCK_PI: /* always CLOCK_REALTIME */
        return lock_pi(a[0], a[1], t ? simp_clock_point(CLOCK_REALTIME, t) : SIM_NEVER);
    case FUTEX_LOCK_PI2:
        return lock_pi(a[0], a[1], t ? futex_point(a[1], t) : SIM_NEVER);
    case FUTEX_WAKE:
        return add_kernel(wake(word, FUTEX_BITSET_MATCH_ANY, (long)(int)value), a);
    case FUTEX_WAKE_BITSET:
        return add_kernel(wake(word, (uint32_t)a[5], (long)(int)value), a);
    case FUTEX_UNLOCK_PI: {
        long r = simc_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);

        simp_local_post(simp_local_event(word));
        return r;
    }
    case FUTEX_REQUEUE: /* wake the waiters that would be requeued: a spurious wake-up */
    case FUTEX_CMP_REQUEUE:
        if ((a[1] & OP_MASK) == FUTEX_CMP_REQUEUE &&
            __atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[5])
            return -EAGAIN;
        return add_kernel(wake(word, FUTEX_BITSET_MATCH_ANY, INT32_MAX), a);
    case FUTEX_WAKE_OP: {
        long r = simc_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);

        if (r < 0)
            return r;
        return r + wake(word, FUTEX_BITSET_MATCH_ANY, (long)(int)value) +
               wake(other, FUTEX_BITSET_MATCH_ANY, INT32_MAX);
    }
    default:
        return SIMP_FUTEX_UNKNOWN;
    }
}
