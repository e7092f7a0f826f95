/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait.c - sleeping until a channel has something new (G6)
 *
 * A waiter raises the flag in the commit word, so that the next put wakes, and
 * sleeps while the word is unchanged. A thread that has something else to tell,
 * such as that a handle is canceled, stores that first and then nudges: it counts
 * up in the highest bits of the wake word and of the commit word, and wakes. A
 * waiter that can write sleeps on the wake word, which readers cannot reach, and
 * if need be on the commit word too (see wakefile.h).
 *
 * A read-only waiter cannot raise the flag: it sleeps if the channel wakes at
 * every put, and looks every millisecond otherwise. Nor can its canceler
 * nudge; it watches its handle's cancel word too.
 *
 * Who waits for a kernel channel sleeps in a call to the device (see kernel.h).
 *
 * No other sleep is longer than a second: what no wake tells of, such as a file
 * removed with rm(1), is found out then. So is a nudge, should so many others
 * have come along that their count is the same again, just when the waiter had
 * looked and was not yet asleep.
 */
#include "wait.h"

#include <errno.h>
#include <linux/futex.h>

#include "../core/order.h"
#include "clock.h"
#include "error.h"
#include "futex.h"
#include "kernel.h"
#include "ready.h"

#define BRIEF_SLICE_NS 1000000ll /* while no wake may come */
#define SPINS_PER_CLOCK 64

/* Cancels take microseconds; a canceler that was stopped in its call is waited for a second. */
#define CANCEL_LOOK_NS 50000l
#define CANCEL_LOOKS 20000

enum ach_status achi_deadline_init(struct achi_deadline *d, const struct timespec *timeout,
                                   clockid_t clock, int options)
{
    struct timespec now;

    *d = (struct achi_deadline){.forever = !timeout, .clock = clock};
    if (!timeout)
        return ACH_OK;
    if (!achi_time_valid(timeout))
        return ACH_EINVAL;
    d->at = *timeout;
    if (options & ACH_O_RELTIME) {
        clock_gettime(clock, &now);
        d->at = achi_time_sum(&now, timeout);
    }
    return ACH_OK;
}

static bool passed(const struct achi_deadline *d)
{
    struct timespec now;

    if (d->forever)
        return false;
    clock_gettime(d->clock, &now);
    return !achi_time_before(&now, &d->at);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Has the word changed within the handle's spinning time? */
static bool spin(const ach_channel_t *chan, uint32_t word, const struct achi_deadline *d)
{
    const struct achi_handle *h = chan->priv;
    struct timespec now, end;
    int i;

    if (!h->spin_ns)
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = achi_time_add(&now, h->spin_ns > INT64_MAX ? INT64_MAX : (int64_t)h->spin_ns);
    do {
        for (i = 0; i < SPINS_PER_CLOCK; i++) {
            if ((achi_load(&h->view.hdr->commit, WAIT_SPIN) ^ word) >> 1)
                return true;
            relax();
        }
        if (achi_canceled(chan) || passed(d))
            return true;
        if (achi_load(&h->view.hdr->state, WAIT_STATE) != ACHI_LIVE)
            return false;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (achi_time_before(&now, &end));
    return false;
}

/* What a waiter has seen: it sleeps while the words are like this. */
struct seen {
    uint32_t commit;
    uint32_t wake; /* if the handle sleeps there */
};

/*
 * Get ready to sleep on one channel. ACH_OK: sleep while the words are as seen, at
 * most *slice; ACH_EAGAIN: do not, look again; else what to return. The wake word is
 * loaded before all that a nudge may tell of, because a nudge changes it afterwards.
 */
static enum ach_status prepare(ach_channel_t *chan, struct seen *seen, int options, int64_t *slice)
{
    struct achi_handle *h = chan->priv;
    const struct ach_header *hdr = h->view.hdr;
    uint32_t state;

    if (h->readonly ? !achi_load(&hdr->readonly_wake, WAIT_READONLY) : !achi_settle(h))
        *slice = BRIEF_SLICE_NS;
    if (!h->readonly && !achi_raise(&h->view, &seen->commit))
        return ACH_EAGAIN;
    if (h->sleeps_on_wake)
        seen->wake = __atomic_load_n(h->wake, __ATOMIC_ACQUIRE);
    state = achi_load_acquire(&hdr->state, WAIT_STATE);
    if (state == ACHI_REPLACED || achi_canceled(chan))
        return ACH_EAGAIN;
    if ((options & ACH_O_LINKED) && (state == ACHI_UNLINKED || achi_unlinked(h)))
        return ACH_ENOENT;
    h->slept++;
    return ACH_OK;
}

/* The end of a sleep. */
struct end {
    clockid_t clock;
    struct timespec at;
};

/*
 * The deadline, but no later than the slice. Only two clocks can time a sleep; a
 * deadline on another one is met in slices. False: the deadline has passed.
 */
static bool find_end(const struct achi_deadline *d, int64_t slice, struct end *end)
{
    struct timespec now;
    int64_t left = INT64_MAX;

    if (!d->forever) {
        clock_gettime(d->clock, &now);
        left = achi_time_until(&now, &d->at);
        if (left == 0)
            return false;
    }
    if (left < slice && d->clock == CLOCK_REALTIME) {
        *end = (struct end){CLOCK_REALTIME, d->at};
        return true;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    *end = (struct end){CLOCK_MONOTONIC, achi_time_add(&now, left < slice ? left : slice)};
    return true;
}

static enum ach_status sleep_on(const struct achi_futex_word *words, unsigned n,
                                const struct end *end)
{
    switch (achi_futex_wait(words, n, end->clock, &end->at)) {
    case 0:
    case -EINTR:
    case -ETIMEDOUT:
        return ACH_OK;
    default:
        return achi_fail(ACH_FAILED_SYSCALL, "cannot wait on a futex");
    }
}

static unsigned both_words(const struct achi_handle *h, const struct seen *seen,
                           struct achi_futex_word *w)
{
    unsigned n = 0;

    if (h->sleeps_on_wake) /* first: the kernel queues in this order */
        w[n++] = (struct achi_futex_word){h->wake, seen->wake, false};
    w[n++] = (struct achi_futex_word){&h->view.hdr->commit, seen->commit, h->private_};
    return n;
}

unsigned achi_sleep_words(const struct achi_handle *h, uint32_t word, struct achi_futex_word *w)
{
    const struct seen seen = {
        .commit = word,
        .wake = h->sleeps_on_wake ? __atomic_load_n(h->wake, __ATOMIC_RELAXED) : 0,
    };

    return both_words(h, &seen, w);
}

/*
 * Is the wake word enough? Not if it announces the next message, which may be committed at any
 * moment; not if the commit word is another one, so that messages may have been announced and
 * committed already; and not if a writer may be there that announces nothing. Such a writer waits
 * for one slice (achi_wakefile_lack). So the end of the sleep has been chosen before this looks,
 * and on a clock that nobody can set.
 */
static bool wake_word_suffices(const struct achi_handle *h, const struct seen *seen,
                               const struct end *end)
{
    const struct ach_header *hdr = h->view.hdr;

    return h->sleeps_on_wake && end->clock == CLOCK_MONOTONIC &&
           __atomic_load_n(&hdr->unmapped, __ATOMIC_SEQ_CST) == ACHI_ALL_MAPPED &&
           ACHI_SEQ(seen->wake) != ACHI_SEQ(seen->commit + ACHI_ONE_MESSAGE) &&
           __atomic_load_n(&hdr->commit, __ATOMIC_RELAXED) == seen->commit;
}

static unsigned add_words(struct achi_futex_word *w, const ach_channel_t *chan,
                          const struct seen *seen, const struct end *end)
{
    unsigned n = both_words(chan->priv, seen, w);

    if (wake_word_suffices(chan->priv, seen, end))
        return 1;
    if (chan->priv->readonly)
        w[n++] = (struct achi_futex_word){achi_cancel_word(chan), 0, true};
    return n;
}

/* With the fence in achi_commit_wake: a put that began later knows, and none is under way. */
bool achi_settle(struct achi_handle *h)
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

/* Load what a waiter reads after it was woken, while it still loads the commit word. */
static void fetch_next(const struct achi_handle *h)
{
    const struct achi_entry *e = achi_entry_of(&h->view, h->cursor.seen + 1);

    __builtin_prefetch(e);
    __builtin_prefetch(&e->small[ACHI_INLINE_MAX / 16]);
}

/* The wake word changes first: a waiter that loads it later sees what the nudge tells of. */
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

/* As achi_nudge, for those who wait on this handle. */
static void nudge_own(struct achi_handle *h)
{
    if (!h->sleeps_on_wake) {
        achi_nudge(h);
        return;
    }
    announce_nudge(h);
    achi_futex_add_wake_at(h->wake, &h->view.hdr->commit, ACHI_NUDGE, false, 0);
}

enum ach_status achi_sleep(ach_channel_t *chan, uint32_t word, const struct achi_deadline *d,
                           int options)
{
    struct achi_futex_word w[ACHI_SLEEP_WORDS];
    struct seen seen = {.commit = word};
    int64_t slice = ACHI_SLICE_NS;
    struct end end;
    enum ach_status r;

    if (spin(chan, word, d))
        return passed(d) ? ACH_TIMEOUT : ACH_OK;
    if (achi_in_kernel(chan->priv))
        return achi_kernel_wait(chan->priv, d, options);
    if (passed(d))
        return ACH_TIMEOUT; /* before the flag is up: the next put would wake nobody */
    r = prepare(chan, &seen, options, &slice);
    if (r == ACH_EAGAIN)
        return passed(d) ? ACH_TIMEOUT : ACH_OK;
    if (r != ACH_OK)
        return r;
    if (!find_end(d, slice, &end))
        return ACH_TIMEOUT;
    r = sleep_on(w, add_words(w, chan, &seen, &end), &end);
    fetch_next(chan->priv);
    return r;
}

enum ach_status ach_cancel(ach_channel_t *chan, const ach_cancel_attr_t *attr)
{
    struct achi_process *process = achi_process;
    struct achi_handle *h;

    (void)attr;
    if (!chan)
        return ACH_EINVAL;
    /* Who finds itself canceled may close the handle before we have nudged. */
    __atomic_fetch_add(&process->cancels, 1, __ATOMIC_SEQ_CST);
    h = __atomic_load_n(&chan->priv, __ATOMIC_SEQ_CST);
    if (h) {
        __atomic_store_n((uint32_t *)(uintptr_t)&chan->cancel, 1, __ATOMIC_SEQ_CST);
        if (achi_in_kernel(h))
            achi_kernel_cancel(h->fd);
        else if (h->readonly)
            achi_futex_wake(achi_cancel_word(chan), true);
        else
            nudge_own(h);
        achi_ready_cancel(h);
    }
    __atomic_fetch_sub(&process->cancels, 1, __ATOMIC_RELEASE);
    return h ? ACH_OK : ACH_CLOSED;
}

void achi_await_cancels(void)
{
    const struct timespec pause = {.tv_nsec = CANCEL_LOOK_NS};
    int i;

    for (i = 0; i < CANCEL_LOOKS; i++) {
        if (__atomic_load_n(&achi_process->cancels, __ATOMIC_SEQ_CST) == 0)
            return;
        nanosleep(&pause, NULL);
    }
}

/* Look at all channels. Counts those with something to tell, and notes the commit words. */
static enum ach_status look_at(ach_wait_item_t *items, size_t n, struct seen *seen, size_t *ready)
{
    size_t i;

    *ready = 0;
    for (i = 0; i < n; i++) {
        struct achi_handle *h = items[i].chan->priv;

        if (achi_canceled(items[i].chan))
            return ACH_CANCELED;
        items[i].status = achi_peek(&h->view, &h->cursor, &seen[i].commit);
        *ready += items[i].status != ACH_EAGAIN;
    }
    return ACH_OK;
}

/* Sleep on all words once. */
static enum ach_status sleep_on_words(ach_wait_item_t *items, size_t n, struct seen *seen,
                                      const struct achi_deadline *d, int options, size_t *ready)
{
    struct achi_futex_word w[ACHI_SLEEP_WORDS * ACH_WAIT_MAX];
    int64_t slice = ACHI_SLICE_NS;
    unsigned used = 0;
    struct end end;
    size_t i;

    for (i = 0; i < n; i++) {
        enum ach_status r = prepare(items[i].chan, &seen[i], options, &slice);

        if (r == ACH_EAGAIN)
            return passed(d) ? ACH_TIMEOUT : ACH_OK;
        if (r != ACH_OK) {
            items[i].status = r;
            ++*ready;
        }
    }
    if (*ready)
        return ACH_OK;
    if (!find_end(d, slice, &end))
        return ACH_TIMEOUT;
    for (i = 0; i < n; i++)
        used += add_words(&w[used], items[i].chan, &seen[i], &end);
    return sleep_on(w, used, &end);
}

static bool any_in_kernel(const ach_wait_item_t *items, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (achi_in_kernel(items[i].chan->priv))
            return true;
    return false;
}

/* Sleep on all channels once. ACH_OK: look again, unless *ready counts some with an error. */
static enum ach_status sleep_on_all(ach_wait_item_t *items, size_t n, struct seen *seen,
                                    const struct achi_deadline *d, int options, size_t *ready)
{
    enum ach_status r;

    if (!any_in_kernel(items, n))
        return sleep_on_words(items, n, seen, d, options, ready);
    /* GCOVR_EXCL_START: kernel channels */
    if (n > 1)
        return achi_poll_all(items, n, d, options, ready);
    r = achi_kernel_wait(items[0].chan->priv, d, options);
    if (r != ACH_ENOENT)
        return r;
    items[0].status = r;
    *ready = 1;
    return ACH_OK;
    /* GCOVR_EXCL_STOP */
}

enum ach_status ach_wait(ach_wait_item_t *items, size_t n, const struct timespec *timeout,
                         int options)
{
    struct seen seen[ACH_WAIT_MAX];
    struct achi_deadline d;
    bool late = false;
    size_t i, ready;
    enum ach_status r;

    if (!items || n == 0 || n > ACH_WAIT_MAX)
        return achi_fail(ACH_EINVAL, "ach_wait takes 1 to %u channels", ACH_WAIT_MAX);
    if (options & ~(ACH_O_RELTIME | ACH_O_LINKED))
        return achi_fail(ACH_EINVAL, "ach_wait knows ACH_O_RELTIME and ACH_O_LINKED only");
    for (i = 0; i < n; i++) {
        if (!items[i].chan)
            return achi_fail(ACH_EINVAL, "channel %zu of ach_wait is NULL", i);
        if (!items[i].chan->priv)
            return achi_fail(ACH_CLOSED, "channel %zu of ach_wait is not open", i);
    }
    if (achi_deadline_init(&d, timeout, CLOCK_MONOTONIC, options) != ACH_OK)
        return achi_fail(ACH_EINVAL, "ach_wait was given an invalid timeout");
    for (;;) {
        r = look_at(items, n, seen, &ready);
        if (r != ACH_OK || ready)
            return r;
        if (late)
            return ACH_TIMEOUT;
        r = sleep_on_all(items, n, seen, &d, options, &ready);
        late = r == ACH_TIMEOUT; /* look once more: we may be later than what came in time */
        if ((r != ACH_OK && !late) || ready)
            return r;
    }
}
