/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c - the writers' lock when it is contended, and the other calls the core makes */
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

/* Where the kernel does not help, look again so often. */
#define POLL_NS 50000

/* A writer sleeps in the kernel's queue for so long at a time. */
#define SLICE_NS 20000000

/* So often to look whether the queue is empty, for about a second, before letting go anyway. */
#define KEEP_LOOKS 10000

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
 * The kernel queues no writer behind a sleeper of another kind. Only a hostile
 * reader sleeps on this word; the mapping that it may have is enough for that.
 * Some can be woken; while others stay, writers look again and again. To one
 * that queued before, the kernel gives the lock of the dead: so nobody else takes
 * that while there may be one.
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
 * Without the kernel, if no writer is in its queue: one that sleeps there might
 * be given the lock later, when this thread ends. Who begins to queue sets the
 * bit that is taken away here.
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

/* The kernel hands the lock to no writer behind a sleeper of another kind. */
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

/*
 * Announce the commit in the wake word, then make it and wake (see wakefile.h). The fence pairs
 * with the one in achi_settle: a waiter about to sleep on the commit word alone sets the flag
 * there, then looks at the lock.
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
    /* The sequence stays as it is while we hold the lock, so this is not the word. */
    achi_futex_add_wake_at(h->wake, commit, add, both, ACHI_SEQ(word) ? 0 : ACHI_ONE_MESSAGE);
}

uint64_t achi_now(const struct achi_view *v)
{
    struct timespec t = {0};

    clock_gettime(v->clock, &t);
    return (uint64_t)t.tv_sec * (uint64_t)ACHI_NS_PER_S + (uint64_t)t.tv_nsec;
}
