/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready_uring.c - futex waits in an io_uring that writes an eventfd
 *
 * The ring defers its work to its owner (DEFER_TASKRUN): a wake sets the flag
 * SQ_TASKRUN in the ring and then writes the eventfd at once, in the context of
 * the writer, without interrupting the owner. The completion is posted in the
 * owner's next io_uring_enter, which writes the eventfd once more. So one call
 * reaps the wait that has ended and submits the next one, and a read drains the
 * eventfd. If a wake came in between, the flag is set after that.
 *
 * System headers may be older than the kernel: newer constants are defined
 * here.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "ready.h"
#include "sleep.h"

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif

#define SETUP_TASKRUN_FLAG (1u << 9)
#define SETUP_SINGLE_ISSUER (1u << 12)
#define SETUP_DEFER_TASKRUN (1u << 13)
#define SETUP_NO_SQARRAY (1u << 16)
#define SETUP_FLAGS                                                                                \
    (SETUP_TASKRUN_FLAG | SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN | SETUP_NO_SQARRAY)
#define SQ_TASKRUN (1u << 2)
#define OP_ASYNC_CANCEL 14
#define OP_FUTEX_WAIT 51
#define FUTEX_32_BITS 2
#define FUTEX_OF_PROCESS 128
#define ANY_WAKER 0xffffffffu

#define ENTRIES 2u

/* Number of checks before the eventfd is made readable, because there may be a message. */
#define LOOKS_MAX 16

enum { CANCEL_ID = 0 }; /* waits count from 1 */

struct achi_sqe {
    uint8_t opcode;
    uint8_t flags;
    uint16_t ioprio;
    int32_t fd;
    uint64_t off;
    uint64_t addr;
    uint32_t len;
    uint32_t op_flags;
    uint64_t user_data;
    uint64_t unused;
    uint64_t addr3;
    uint64_t pad;
};

_Static_assert(sizeof(struct achi_sqe) == 64, "the kernel's layout");

static long enter(const struct achi_ring *r, unsigned submit, unsigned complete, unsigned flags)
{
    long n;

    do
        n = syscall(SYS_io_uring_enter, r->fd, submit, complete, flags, NULL, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

static void *map(const struct achi_ring *r, size_t size, uint64_t what)
{
    void *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, (off_t)what);

    return p == MAP_FAILED ? NULL : p;
}

static bool map_rings(struct achi_ring *r, const struct io_uring_params *p)
{
    r->rings_size = p->cq_off.cqes + p->cq_entries * sizeof(*r->cqes);
    r->sqes_size = p->sq_entries * sizeof(*r->sqes);
    r->rings = map(r, r->rings_size, IORING_OFF_SQ_RING);
    r->sqes = map(r, r->sqes_size, IORING_OFF_SQES);
    if (!r->rings || !r->sqes)
        return false;
    r->sq_tail = (uint32_t *)(void *)(r->rings + p->sq_off.tail);
    r->sq_flags = (uint32_t *)(void *)(r->rings + p->sq_off.flags);
    r->sq_mask = p->sq_entries - 1;
    r->cq_head = (uint32_t *)(void *)(r->rings + p->cq_off.head);
    r->cq_tail = (uint32_t *)(void *)(r->rings + p->cq_off.tail);
    r->cq_mask = p->cq_entries - 1;
    r->cqes = (const struct io_uring_cqe *)(const void *)(r->rings + p->cq_off.cqes);
    return true;
}

bool achi_ring_open(struct achi_ring *r, int eventfd)
{
    struct io_uring_params p;

    memset(r, 0, sizeof(*r));
    memset(&p, 0, sizeof(p));
    r->eventfd = eventfd;
    p.flags = SETUP_FLAGS;
    r->owner = achi_thread()->tid;
    r->fd = achi_high_fd((int)syscall(SYS_io_uring_setup, ENTRIES, &p));
    if (r->fd < 0)
        return false;
    if (map_rings(r, &p) &&
        syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_EVENTFD, &eventfd, 1) == 0)
        return true;
    achi_ring_close(r);
    return false;
}

void achi_ring_close(struct achi_ring *r)
{
    if (r->rings)
        munmap(r->rings, r->rings_size);
    if (r->sqes)
        munmap(r->sqes, r->sqes_size);
    close(r->fd);
}

/* A wait has ended, and its completion has not been posted. */
static bool flagged(const struct achi_ring *r)
{
    return __atomic_load_n(r->sq_flags, __ATOMIC_ACQUIRE) & SQ_TASKRUN;
}

/* Reap completions. Only our calls post them, each with a write of the eventfd. */
static void take_completions(struct achi_ring *r)
{
    while (*r->cq_head != __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE)) {
        const struct io_uring_cqe *e = &r->cqes[*r->cq_head & r->cq_mask];

        if (e->user_data == r->id)
            r->armed = false;
        else if (e->user_data == r->commit_id)
            r->commit_armed = false;
        else if (e->user_data == r->ending)
            r->ending = 0;
        if (e->user_data != CANCEL_ID)
            r->broken |= e->res < 0 && e->res != -EAGAIN && e->res != -ECANCELED;
        r->up = true;
        __atomic_store_n(r->cq_head, *r->cq_head + 1, __ATOMIC_RELEASE);
    }
}

/*
 * Submit an operation, and have completions posted. A waker may set the flag
 * after another call has posted its completion, and the kernel would leave it
 * set; so it is cleared here.
 */
static bool submit(struct achi_ring *r, const struct achi_sqe *e)
{
    if (flagged(r))
        __atomic_fetch_and(r->sq_flags, ~SQ_TASKRUN, __ATOMIC_ACQ_REL);
    r->sqes[*r->sq_tail & r->sq_mask] = *e;
    __atomic_store_n(r->sq_tail, *r->sq_tail + 1, __ATOMIC_RELEASE);
    return enter(r, 1, 0, IORING_ENTER_GETEVENTS) == 1;
}

static bool wait_on(struct achi_ring *r, const struct achi_futex_word *w, uint64_t id)
{
    const struct achi_sqe e = {
        .opcode = OP_FUTEX_WAIT,
        .fd = FUTEX_32_BITS | (w->private_ ? FUTEX_OF_PROCESS : 0),
        .off = w->value,
        .addr = (uintptr_t)w->word,
        .addr3 = ANY_WAKER,
        .user_data = id,
    };

    if (!submit(r, &e))
        return false;
    take_completions(r);
    return !r->broken;
}

static bool cancel(struct achi_ring *r, uint64_t id)
{
    const struct achi_sqe e = {
        .opcode = OP_ASYNC_CANCEL,
        .addr = id,
        .user_data = CANCEL_ID,
    };

    if (!submit(r, &e))
        return false;
    take_completions(r);
    return true;
}

/*
 * Wait while the commit word has the value. On a handle that sleeps on the wake word the kernel
 * compares the wake word, so the caller checks the commit word again. The second wait, on the
 * commit word, stays armed across commits until a writer without the wake word ends it. If the
 * ring's flag was set by the end of that second wait, the previous first wait has not ended:
 * cancel it.
 */
static bool arm(struct achi_ring *r, const struct achi_handle *h, uint32_t value)
{
    struct achi_futex_word w[ACHI_SLEEP_WORDS];
    const struct achi_seen seen = achi_seen(h, value);
    unsigned n = achi_sleep_words(h, &seen, w);

    r->ending = r->armed ? r->id : 0;
    r->id = ++r->ids;
    r->word = value;
    r->armed = true;
    if (!wait_on(r, &w[0], r->id))
        return false;
    if (r->ending && !cancel(r, r->ending))
        return false;
    if (n == 1 || r->commit_armed)
        return true;
    r->commit_id = ++r->ids;
    r->commit_armed = true;
    return wait_on(r, &w[1], r->commit_id);
}

/* Cancel the wait, and reap its completion. */
static bool disarm(struct achi_ring *r)
{
    if (!cancel(r, r->id))
        return false;
    while (r->armed) {
        if (enter(r, 0, 1, IORING_ENTER_GETEVENTS) < 0)
            return false;
        take_completions(r);
    }
    return true;
}

static void ready_uring_make_quiet(struct achi_ring *r)
{
    achi_ready_drain(r->eventfd);
    r->up = false;
    r->vain = -1; /* the check that follows does not count */
}

/*
 * Is the ring waiting on this word, and the eventfd drained? A waker may write
 * the eventfd long after its completion was reaped: so if the reader finds
 * nothing twice in a row, drain it in any case.
 */
static bool settled(struct achi_ring *r, const struct achi_handle *h, uint32_t word)
{
    if (!r->armed || (h->sleeps_on_wake && !r->commit_armed) || r->word != word || r->up ||
        r->vain++ > 0)
        return false;
    r->known = !flagged(r);
    return r->known;
}

/* Write the eventfd, unless it was written already; again: even then. */
static void say_readable(struct achi_ring *r, bool again)
{
    if (!r->up || again)
        achi_ready_signal(r->eventfd);
    r->up = true;
}

/* Arm if the wait has ended or is on another word, and drain. False: the ring does not work. */
static bool renew(struct achi_ring *r, const struct achi_handle *h, uint32_t word)
{
    bool ended = !r->armed || (h->sleeps_on_wake && !r->commit_armed) || flagged(r);

    if (!ended && r->word != word) {
        if (!disarm(r))
            return false;
        ended = true;
    }
    if (ended && !h->readonly && !achi_raise(&h->view, &word))
        return true;
    if (ended && !arm(r, h, word))
        return false;
    ready_uring_make_quiet(r);
    return true;
}

/*
 * Check, arm, drain, check the flag. A wait on a word that has changed since the
 * check ends at once, so no message is missed. If the flag was clear after the
 * last drain and is set now, the eventfd has a write that is not drained.
 */
bool achi_ring_update(struct achi_ring *r, const ach_channel_t *chan, bool told, bool empty)
{
    uint32_t word = 0;
    int looks;

    r->up |= told || (r->known && flagged(r));
    r->known = false;
    for (looks = 0; looks < LOOKS_MAX; looks++) {
        if (achi_ready_news(chan, &word))
            break;
        if (settled(r, chan->priv, word))
            return true;
        if (!renew(r, chan->priv, word))
            return false;
    }
    say_readable(r, empty);
    return true;
}
