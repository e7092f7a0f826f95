/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - the writers' lock when it is contended */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "futex.h"
#include "handle.h"
#include "lock.h"

/* Interval between polls of the lock where the kernel cannot queue this thread. */
#define POLL_NS 50000

/* The longest sleep in the kernel's queue at a time. */
#define SLICE_NS 20000000

/* Number of polls (about one second) before releasing the lock with writers maybe still queued. */
#define KEEP_LOOKS 10000

static void count_recovery(const struct achi_view *v)
{
    uint32_t n = __atomic_load_n(&v->hdr->recovered, __ATOMIC_RELAXED);

    __atomic_store_n(&v->hdr->recovered, n + 1, __ATOMIC_RELAXED);
}

/*
 * Is the owner dead, or, in private memory, no thread of this process? Fork
 * copies a lock that a thread of the parent holds.
 */
static bool names_the_dead(const struct achi_handle *h, uint32_t w)
{
    int tid = (int)(w & FUTEX_TID_MASK);
    long r;

    if (w == FUTEX_OWNER_DIED) /* and no waiter is queued in the kernel that would get it */
        return true;
    r = h->private_ ? syscall(SYS_tgkill, getpid(), tid, 0) : syscall(SYS_tkill, tid, 0);
    return r != 0 && errno == ESRCH;
}

/* Take the lock if its owner is dead. Several writers may try this; one wins. */
static bool take_over(const struct achi_handle *h, uint32_t *word, uint32_t tid)
{
    uint32_t w = __atomic_load_n(word, __ATOMIC_RELAXED);

    return names_the_dead(h, w) && achi_lock_cas(word, w, tid, __ATOMIC_ACQUIRE);
}

/* The kernel has no PI futexes: poll the lock once, then pause. */
static int poll_lock(const struct achi_handle *h, uint32_t *word, uint32_t tid)
{
    const struct timespec pause = {.tv_nsec = POLL_NS};

    if (achi_lock_cas(word, 0, tid, __ATOMIC_ACQUIRE))
        return 0;
    if (names_the_dead(h, __atomic_load_n(word, __ATOMIC_RELAXED)))
        return -ESRCH;
    nanosleep(&pause, NULL);
    return -EAGAIN;
}

static bool queue_empty(const struct achi_view *v)
{
    return __atomic_load_n(&v->hdr->queued, __ATOMIC_SEQ_CST) == 0;
}

static int sleep_in_queue(const struct achi_view *v, uint32_t *word, const struct timespec *end)
{
    uint32_t *queued = &v->hdr->queued;
    int r;

    __atomic_fetch_add(queued, 1, __ATOMIC_SEQ_CST);
    r = achi_futex_lock_pi(word, end, achi_handle_of(v)->private_);
    __atomic_fetch_sub(queued, 1, __ATOMIC_SEQ_CST);
    return r;
}

/*
 * The kernel queues no writer behind a sleeper of another kind: FUTEX_LOCK_PI
 * fails with EINVAL. Only a hostile reader sleeps on this word otherwise; its
 * read-only mapping is enough for that. Some such sleepers can be woken; while
 * others stay, writers poll. The kernel hands a dead owner's lock to a queued
 * waiter, so never steal it while one may be queued.
 */
static int lock_beside_strangers(const struct achi_view *v, uint32_t *word, uint32_t tid)
{
    const struct achi_handle *h = achi_handle_of(v);
    uint32_t w = __atomic_load_n(word, __ATOMIC_RELAXED);
    bool dead = w & FUTEX_TID_MASK ? names_the_dead(h, w) : (w & FUTEX_OWNER_DIED) != 0;

    achi_futex_wake(word, h->private_);
    if (dead && queue_empty(v) && achi_lock_cas(word, w, tid, __ATOMIC_ACQUIRE)) {
        count_recovery(v);
        return 0;
    }
    if (achi_lock_cas(word, 0, tid, __ATOMIC_ACQUIRE))
        return 0;
    nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    return -EAGAIN;
}

static enum ach_status wait_for_lock(const struct achi_view *v, uint32_t *word, uint32_t tid)
{
    const struct achi_handle *h = achi_handle_of(v);
    struct timespec now, deadline, slice;
    int64_t limit = h->lock_timeout_ns > INT64_MAX ? INT64_MAX : (int64_t)h->lock_timeout_ns;

    achi_kernel_now(CLOCK_MONOTONIC, &now);
    deadline = achi_time_add(&now, limit);
    if (h->private_ && take_over(h, word, tid)) {
        count_recovery(v);
        return ACH_OK;
    }
    do {
        int r;

        slice = achi_time_add(&now, SLICE_NS);
        r = sleep_in_queue(v, word, achi_time_before(&slice, &deadline) ? &slice : &deadline);
        if (r == -ENOSYS)
            r = poll_lock(h, word, tid);
        else if (r == -EINVAL)
            r = lock_beside_strangers(v, word, tid);
        if (r == -ESRCH && take_over(h, word, tid)) {
            count_recovery(v);
            return ACH_OK;
        }
        switch (r) {
        case 0:
            if (__atomic_load_n(word, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED) {
                __atomic_fetch_and(word, ~(uint32_t)FUTEX_OWNER_DIED, __ATOMIC_RELAXED);
                count_recovery(v);
            }
            return ACH_OK;
        case -EAGAIN: /* the owner is exiting */
        case -EINTR:
        case -ETIMEDOUT:
            break;
        case -ESRCH: /* the owner is dead, and not reaped yet */
            nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
            break;
        case -ENOMEM:
            return ACH_LOCKED;
        default: /* a value that no writer stores */
            return ACH_CORRUPT;
        }
        achi_kernel_now(CLOCK_MONOTONIC, &now);
    } while (achi_time_before(&now, &deadline));
    return ACH_LOCKED;
}

enum ach_status achi_lock_slow(const struct achi_view *v, uint32_t *word)
{
    struct achi_thread *self = achi_thread();
    int saved = errno;
    enum ach_status r = wait_for_lock(v, word, self->tid);

    errno = saved;
    if (r != ACH_OK)
        achi_set_pending(self, 0);
    return r;
}

/*
 * Release the lock without the kernel, if no writer is in its queue: the kernel
 * might give the lock to a queued writer later, when this thread exits. Clear
 * the waiters bit first; a writer that begins to queue sets it again.
 */
static bool let_go(const struct achi_view *v, uint32_t *word, bool patient)
{
    const uint32_t self = achi_thread_self.tid, w = __atomic_load_n(word, __ATOMIC_RELAXED);

    if ((w & FUTEX_TID_MASK) != self)
        return true;
    if (w != self) {
        achi_lock_cas(word, w, self, __ATOMIC_RELAXED);
        return false;
    }
    return (!patient || queue_empty(v)) && achi_lock_cas(word, self, 0, __ATOMIC_RELEASE);
}

/* While a sleeper of another kind is on the word, FUTEX_UNLOCK_PI fails with EINVAL. */
static void unlock_beside_strangers(const struct achi_view *v, uint32_t *word)
{
    const bool private_ = achi_handle_of(v)->private_;
    const struct timespec pause = {.tv_nsec = POLL_NS};
    int looks;

    for (looks = 0; looks < 2 * KEEP_LOOKS; looks++) {
        achi_futex_wake(word, private_);
        if (achi_futex_unlock_pi(word, private_) != -EINVAL || let_go(v, word, looks < KEEP_LOOKS))
            return;
        if (looks > 0)
            nanosleep(&pause, NULL);
    }
}

void achi_unlock_slow(const struct achi_view *v, uint32_t *word)
{
    int saved = errno, cancelable;

    if (achi_futex_unlock_pi(word, achi_handle_of(v)->private_) == -EINVAL) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
        unlock_beside_strangers(v, word);
        pthread_setcancelstate(cancelable, NULL);
    }
    errno = saved;
}
