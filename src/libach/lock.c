/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - the writers' lock when it is contended, and the other calls the core makes */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "futex.h"
#include "handle.h"
#include "lock.h"

/* Where the kernel does not help, look again so often. */
#define POLL_NS 50000

/* A writer sleeps in the kernel for so long at a time, and keeps the lock for so many looks if it
   cannot be handed on: then all who slept have looked again. */
#define SLICE_NS 20000000
#define KEEP_LOOKS (2 * SLICE_NS / POLL_NS)

static void count_recovery(const struct achi_view *v)
{
    uint32_t n = __atomic_load_n(&v->hdr->recovered, __ATOMIC_RELAXED);

    __atomic_store_n(&v->hdr->recovered, n + 1, __ATOMIC_RELAXED);
}

/*
 * Is the owner no more, or no thread of ours if the memory is ours alone? Fork
 * copies a lock that a thread of the parent holds.
 */
static bool names_the_dead(const struct achi_handle *h, uint32_t w)
{
    int tid = (int)(w & FUTEX_TID_MASK);
    long r;

    if (w == FUTEX_OWNER_DIED) /* and nobody sleeps in the kernel who would get it */
        return true;
    r = h->private_ ? syscall(SYS_tgkill, getpid(), tid, 0) : syscall(SYS_tkill, tid, 0);
    return r != 0 && errno == ESRCH;
}

/* The word names a thread that is no more. Several may try this; one wins. */
static bool take_over(const struct achi_handle *h, uint32_t *word, uint32_t tid)
{
    uint32_t w = __atomic_load_n(word, __ATOMIC_RELAXED);

    return names_the_dead(h, w) && achi_lock_cas(word, w, tid, __ATOMIC_ACQUIRE);
}

/* The kernel cannot queue us: look again and again. */
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

/*
 * The kernel queues no writer behind a sleeper of another kind. Only a hostile
 * reader sleeps on this word, and to it the mapping that it may have is enough.
 * Some can be woken; while others stay, the writers poll.
 */
static int lock_beside_strangers(const struct achi_handle *h, uint32_t *word, uint32_t tid)
{
    achi_futex_wake(word, h->private_);
    return poll_lock(h, word, tid);
}

static enum ach_status wait_for_lock(const struct achi_view *v, uint32_t *word, uint32_t tid)
{
    const struct achi_handle *h = achi_handle_of(v);
    struct timespec now, deadline, slice;
    int64_t limit = h->lock_timeout_ns > INT64_MAX ? INT64_MAX : (int64_t)h->lock_timeout_ns;

    clock_gettime(CLOCK_MONOTONIC, &now);
    deadline = achi_time_add(&now, limit);
    if (h->private_ && take_over(h, word, tid)) {
        count_recovery(v);
        return ACH_OK;
    }
    do {
        int r;

        slice = achi_time_add(&now, SLICE_NS);
        r = achi_futex_lock_pi(word, achi_time_before(&slice, &deadline) ? &slice : &deadline,
                               h->private_);
        if (r == -ENOSYS)
            r = poll_lock(h, word, tid);
        else if (r == -EINVAL)
            r = lock_beside_strangers(h, word, tid);
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
        case -EAGAIN: /* the owner is just dying */
        case -EINTR:
        case -ETIMEDOUT:
            break;
        case -ESRCH: /* the owner is dead, and not buried yet */
            nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
            break;
        case -ENOMEM:
            return ACH_LOCKED;
        default: /* no word that a writer would leave */
            return ACH_CORRUPT;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
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

/* Without the kernel, which must have no writer in its queue any more. */
static bool let_go(uint32_t *word)
{
    uint32_t w = __atomic_load_n(word, __ATOMIC_RELAXED);

    return (w & FUTEX_TID_MASK) != achi_thread_self.tid ||
           achi_lock_cas(word, w, 0, __ATOMIC_RELEASE);
}

/*
 * The kernel hands the lock to no writer behind a sleeper of another kind. Those
 * that queued before it came give up after a slice, and others cannot queue.
 */
void achi_unlock_slow(const struct achi_view *v, uint32_t *word)
{
    const bool private_ = achi_handle_of(v)->private_;
    const struct timespec pause = {.tv_nsec = POLL_NS};
    int saved = errno, tries;

    for (tries = 0; tries < 2 * KEEP_LOOKS; tries++) {
        if (achi_futex_unlock_pi(word, private_) != -EINVAL)
            break;
        if (tries >= KEEP_LOOKS && let_go(word))
            break;
        achi_futex_wake(word, private_);
        if (tries > 0)
            nanosleep(&pause, NULL);
    }
    errno = saved;
}

void achi_commit_wake(const struct achi_view *v, uint32_t add)
{
    achi_futex_add_wake(&v->hdr->commit, add, achi_handle_of(v)->private_);
}

uint64_t achi_now(const struct achi_view *v)
{
    struct timespec t = {0};

    clock_gettime(v->clock, &t);
    return (uint64_t)t.tv_sec * (uint64_t)ACHI_NS_PER_S + (uint64_t)t.tv_nsec;
}
