/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait.c - sleeping until a channel has something new (G6)
 *
 * A waiter sets the flag in the commit word, so that the next put wakes, and
 * sleeps while the word is unchanged. A thread that signals another event, such
 * as that a handle is canceled, stores that first and then nudges: it increments
 * the count in the highest bits of the wake word and of the commit word, and
 * wakes. A waiter that can write sleeps on the wake word, which read-only
 * processes cannot map, and if necessary on the commit word too (see wakefile.h).
 *
 * A read-only waiter cannot set the flag: it sleeps if the channel wakes at every
 * put, and polls every millisecond otherwise. Its canceler cannot nudge either,
 * so the waiter sleeps on its handle's cancel word too.
 *
 * A waiter on a kernel channel sleeps in a call to the device (see kernel.h).
 *
 * No other sleep is longer than a second. Then the waiter detects events that
 * come without a wake, such as a file removed with rm(1). It also detects a nudge
 * that it missed because the count of nudges wrapped around to the same value
 * between its check and its sleep.
 */
#include "wait.h"

#include <errno.h>
#include <sched.h>

#include "../core/order.h"
#include "clock.h"
#include "error.h"
#include "futex.h"
#include "kernel.h"
#include "notice.h"
#include "sleep.h"
#include "spin.h"
#include "wakefile.h"

#define SPINS_PER_CLOCK 64

/* In a window, others get the processor so often; and if they keep it so long, it ends. */
#define YIELD_NS 5000u
#define TAKEN_NS 100000u

#define OPTIONS_OF_WAIT (ACH_O_RELTIME | ACH_O_LINKED | ACH_O_INTERRUPT)

enum ach_status achi_deadline_init(struct achi_deadline *d, const struct timespec *timeout,
                                   clockid_t clock, int options)
{
    struct timespec now, length;

    *d = (struct achi_deadline){.forever = !timeout, .clock = clock};
    if (!timeout)
        return ACH_OK;
    d->at = *timeout;
    if (options & ACH_O_RELTIME) {
        length = achi_time_normal(timeout);
        clock_gettime(clock, &now);
        d->at = achi_time_sum(&now, &length);
    }
    if (!achi_time_valid(&d->at))
        return ACH_EINVAL;
    if (d->at.tv_sec < 0)
        d->at = (struct timespec){0}; /* it has passed, like every time before 0 */
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

static uint64_t monotonic(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * (uint64_t)ACHI_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Of a handle that anticipates. NULL: it does not. */
static struct achi_anticipation *anticipation_of(const ach_channel_t *chan)
{
    struct achi_handle *h = chan->priv;

    return h->anticipation.budget > 0 ? &h->anticipation : NULL;
}

static void plan(const ach_channel_t *chan, uint64_t now)
{
    const struct achi_cursor *c = achi_cursor_in(chan);
    const struct achi_received last = {
        .seq = c->seen, .stamp = chan->priv->view.clock == CLOCK_MONOTONIC ? c->stamp : 0};

    achi_anticipate_plan(&chan->priv->anticipation, &last, now);
}

/* In which bits has the commit word changed? */
static uint32_t changes(const ach_wait_item_t *item, const struct achi_seen *seen)
{
    return achi_load(&item->chan->priv->view.hdr->commit, WAIT_SPIN) ^ seen->commit;
}

static bool any_canceled(const ach_wait_item_t *items, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (achi_canceled(items[i].chan))
            return true;
    return false;
}

/* Has no channel been replaced, or removed from under a wait that minds? */
static bool all_live(const ach_wait_item_t *items, size_t n, int options)
{
    const uint32_t last = options & ACH_O_LINKED ? ACHI_LIVE : ACHI_UNLINKED;
    size_t i;

    for (i = 0; i < n; i++)
        if (achi_load(&items[i].chan->priv->view.hdr->state, WAIT_STATE) > last)
            return false;
    return true;
}

/* How a thread that looks again and again has ended. */
enum spun { SPUN_NEWS, SPUN_OVER, SPUN_VAIN, SPUN_TAKEN };

/* Times are of CLOCK_MONOTONIC, in nanoseconds. */
struct spin {
    uint64_t now, end;
    int options;  /* of the wait */
    bool yields;  /* between looks, those who wait for this processor get it */
    size_t open;  /* the channel whose flag is watched; n: none */
    bool flagged; /* out: its flag has changed */
};

static bool has_news(const ach_wait_item_t *items, size_t n, const struct achi_seen *seen,
                     struct spin *s)
{
    uint32_t changed;
    size_t i;

    for (i = 0; i < n; i++) {
        changed = changes(&items[i], &seen[i]);
        if (changed > ACHI_WAITER)
            return true;
        if (changed && i == s->open)
            s->flagged = true;
    }
    return false;
}

/*
 * Look at the words until the end. SPUN_OVER: a wait is canceled or over; SPUN_TAKEN: another
 * process has had the processor.
 */
static enum spun spin_until(const ach_wait_item_t *items, size_t n, const struct achi_seen *seen,
                            const struct achi_deadline *d, struct spin *s)
{
    uint64_t yielded = s->now, before;
    int i;

    do {
        for (i = 0; i < SPINS_PER_CLOCK; i++) {
            if (has_news(items, n, seen, s))
                return SPUN_NEWS;
            achi_relax();
        }
        if (any_canceled(items, n) || passed(d))
            return SPUN_OVER;
        if (!all_live(items, n, s->options))
            return SPUN_VAIN;
        before = s->now;
        s->now = monotonic();
        if (s->yields && s->now - yielded > YIELD_NS) {
            sched_yield();
            yielded = s->now;
        }
        if (s->yields && s->now - before > TAKEN_NS)
            return SPUN_TAKEN;
    } while (s->now < s->end);
    return SPUN_VAIN;
}

/* Spin for the handle's spin time. True: check again. */
static bool spin(ach_channel_t *chan, const struct achi_seen *seen, const struct achi_deadline *d,
                 int options)
{
    const ach_wait_item_t item = {.chan = chan};
    uint64_t length = chan->priv->spin_ns;
    struct spin s = {.options = options, .open = 1};

    if (!length)
        return false;
    s.now = monotonic();
    s.end = length < UINT64_MAX - s.now ? s.now + length : UINT64_MAX;
    return spin_until(&item, 1, seen, d, &s) <= SPUN_OVER;
}

/* The channel whose window is open, as an index; of several, the one that closes first. n: none. */
static size_t find_open(const ach_wait_item_t *items, size_t n, uint64_t now)
{
    uint64_t closes = UINT64_MAX;
    size_t i, found = n;

    for (i = 0; i < n; i++) {
        const struct achi_anticipation *a = anticipation_of(items[i].chan);

        if (a && achi_anticipate_open(a, now) && a->closes < closes) {
            closes = a->closes;
            found = i;
        }
    }
    return found;
}

/*
 * May the flag be lowered? Not where every put makes a system call in any case. A handle without
 * the wake word cannot reach waiters that strangers on the commit word hide.
 */
static bool may_lower(const struct achi_handle *h)
{
    return (h->view.flags & ACHI_F_LOWERED) && !h->readonly && (h->wake || !h->wake_id.inode) &&
           !achi_load(&h->view.hdr->readonly_wake, PUT_READONLY);
}

/*
 * The caller does not sleep while its window is open, so lower the flag: then a put makes no system
 * call. Others that sleep on this channel are woken, and raise it again. True: it was lowered.
 */
static bool lower(const ach_channel_t *chan, struct achi_seen *seen)
{
    struct achi_handle *h = chan->priv;
    uint32_t *commit = &h->view.hdr->commit;

    if (!may_lower(h) || achi_load(commit, WAIT_SPIN) != (seen->commit | ACHI_WAITER) ||
        !achi_anticipate_lowers(&h->anticipation) || !achi_wakefile_both(h, seen->commit) ||
        !achi_futex_clear_wake(h->wake ? h->wake : commit, commit, ACHI_WAITER, h->private_))
        return false;
    seen->commit &= ~ACHI_WAITER;
    return true;
}

/* Plan the next windows. If one is open, look at the words. True: check again. */
static bool anticipate(const ach_wait_item_t *items, size_t n, struct achi_seen *seen,
                       const struct achi_deadline *d, int options)
{
    struct achi_anticipation *a;
    uint64_t begin = 0;
    size_t i, open;
    struct spin s;
    bool lowered;
    enum spun r;

    for (i = 0; i < n; i++)
        if (anticipation_of(items[i].chan)) {
            begin = begin ? begin : monotonic();
            plan(items[i].chan, begin);
        }
    open = begin ? find_open(items, n, begin) : n;
    if (open == n)
        return false;
    a = anticipation_of(items[open].chan);
    achi_anticipate_begin(a, begin);
    lowered = lower(items[open].chan, &seen[open]);
    s = (struct spin){
        .now = begin, .end = a->closes, .options = options, .yields = true, .open = n};
    if (lowered) { /* in vain if there is already something new: waking took too long */
        s.now = monotonic();
        s.open = open;
        s.flagged = changes(&items[open], &seen[open]) != 0;
    }
    r = spin_until(items, n, seen, d, &s);
    if (lowered)
        achi_anticipate_lowered(a, s.flagged);
    if (r == SPUN_NEWS)
        s.now = monotonic();
    achi_anticipate_end(a, begin, s.now, r == SPUN_NEWS, r == SPUN_TAKEN);
    if (r == SPUN_VAIN || r == SPUN_TAKEN)
        for (i = 0; i < n; i++)
            if (anticipation_of(items[i].chan))
                plan(items[i].chan, s.now);
    return r <= SPUN_OVER;
}

/* A sleep that may end when a window opens. */
struct nap {
    bool short_;    /* it ends then */
    unsigned slack; /* of this thread's timers, to restore */
};

static struct nap nap_begin(const ach_wait_item_t *items, size_t n, int64_t *slice)
{
    struct nap nap = {0};
    uint64_t now = 0;
    size_t i;

    for (i = 0; i < n; i++) {
        struct achi_anticipation *a = anticipation_of(items[i].chan);
        int64_t left;

        if (!a)
            continue;
        now = now ? now : monotonic();
        left = (int64_t)achi_anticipate_sleep(a, now);
        if (left == 0 || left >= *slice)
            continue;
        *slice = left;
        nap.short_ = true;
    }
    if (nap.short_)
        nap.slack = achi_slack_remove();
    return nap;
}

static void nap_end(const ach_wait_item_t *items, size_t n, const struct achi_seen *seen,
                    const struct nap *nap)
{
    size_t i;

    if (nap->short_)
        achi_slack_restore(nap->slack);
    for (i = 0; i < n; i++) {
        struct achi_anticipation *a = anticipation_of(items[i].chan);

        if (a && changes(&items[i], &seen[i]) > ACHI_WAITER)
            achi_anticipate_woken(a, monotonic());
    }
}

/*
 * Prepare to sleep on one channel. ACH_OK: sleep while the words are as seen, at
 * most *slice; ACH_EAGAIN: do not sleep, check again; else the status to return. The
 * wake word is loaded before the state and the cancel flag, because a nudge changes
 * it after them.
 */
static enum ach_status wait_prepare(ach_channel_t *chan, struct achi_seen *seen, int options,
                                    int64_t *slice)
{
    struct achi_handle *h = chan->priv;
    const struct ach_header *hdr = h->view.hdr;
    uint32_t state;

    if (!achi_puts_wake(h))
        *slice = ACHI_BRIEF_SLICE_NS;
    if (!h->readonly && !achi_raise(&h->view, &seen->commit))
        return ACH_EAGAIN;
    if (h->sleeps_on_wake)
        seen->wake = __atomic_load_n(h->wake, __ATOMIC_ACQUIRE);
    state = achi_load_acquire(&hdr->state, WAIT_STATE);
    if (state == ACHI_REPLACED || achi_canceled(chan))
        return ACH_EAGAIN;
    if ((options & ACH_O_LINKED) && achi_nameless(h))
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

static enum ach_status wait_sleep_on(const struct achi_futex_word *words, unsigned n,
                                     const struct end *end)
{
    int type = achi_cancelable(PTHREAD_CANCEL_ASYNCHRONOUS);
    int r = achi_futex_wait(words, n, end->clock, &end->at);

    achi_cancelable(type);
    switch (r) {
    case 0:
    case -EINTR:
    case -ETIMEDOUT:
        return ACH_OK;
    default:
        return achi_fail(ACH_FAILED_SYSCALL, "cannot wait on a futex");
    }
}

/*
 * Is it enough to sleep on the wake word? Not if the wake word announces the next message, which
 * may be committed at any moment; not if the commit word has changed, so that messages may have
 * been announced and committed already; and not if there may be a receiver that lowers the flag,
 * which changes the commit word only, or a writer that announces nothing. Such a writer waits for
 * one slice when it is opened (achi_wakefile_lack). So the end of the sleep is chosen before this
 * check, and on a clock that cannot be set.
 */
static bool wake_word_suffices(const struct achi_handle *h, const struct achi_seen *seen,
                               const struct end *end)
{
    const struct ach_header *hdr = h->view.hdr;

    return h->sleeps_on_wake && end->clock == CLOCK_MONOTONIC &&
           __atomic_load_n(&hdr->both_words, __ATOMIC_SEQ_CST) == ACHI_ONE_WORD &&
           ACHI_SEQ(seen->wake) != ACHI_SEQ(seen->commit + ACHI_ONE_MESSAGE) &&
           __atomic_load_n(&hdr->commit, __ATOMIC_RELAXED) == seen->commit;
}

static unsigned add_words(struct achi_futex_word *w, const ach_channel_t *chan,
                          const struct achi_seen *seen, const struct end *end)
{
    unsigned n = achi_sleep_words(chan->priv, seen, w);

    if (wake_word_suffices(chan->priv, seen, end))
        return 1;
    if (chan->priv->readonly)
        w[n++] = (struct achi_futex_word){achi_cancel_word(chan), 0, true};
    return n;
}

/* Prefetch the entry that a woken waiter reads next, while it still loads the commit word. */
static void fetch_next(const ach_channel_t *chan)
{
    const struct achi_entry *e = achi_entry_of(&chan->priv->view, achi_cursor_in(chan)->seen + 1);

    __builtin_prefetch(e);
    __builtin_prefetch(&e->small[ACHI_INLINE_MAX / 16]);
}

/* GCOVR_EXCL_START: kernel channels */
static enum ach_status sleep_in_kernel(ach_channel_t *chan, const struct achi_seen *seen,
                                       const struct achi_deadline *d, int options)
{
    const ach_wait_item_t item = {.chan = chan};
    struct achi_deadline first = *d;
    int64_t slice = ACHI_SLICE_NS;
    struct nap nap = nap_begin(&item, 1, &slice);
    struct end end;
    enum ach_status r = ACH_TIMEOUT;

    if (!nap.short_ || find_end(d, slice, &end)) {
        if (nap.short_)
            first = (struct achi_deadline){.clock = end.clock, .at = end.at};
        r = achi_kernel_wait(chan, &first, options);
    }
    nap_end(&item, 1, seen, &nap);
    return r == ACH_TIMEOUT && !passed(d) ? ACH_OK : r;
}
/* GCOVR_EXCL_STOP */

enum ach_status achi_sleep(ach_channel_t *chan, uint32_t word, const struct achi_deadline *d,
                           int options)
{
    struct achi_futex_word w[ACHI_SLEEP_WORDS];
    struct achi_seen seen = {.commit = word};
    const ach_wait_item_t item = {.chan = chan};
    int64_t slice = ACHI_SLICE_NS;
    struct nap nap;
    struct end end;
    enum ach_status r;

    if (spin(chan, &seen, d, options) || anticipate(&item, 1, &seen, d, options))
        return passed(d) ? ACH_TIMEOUT : ACH_OK;
    if (achi_in_kernel(chan->priv))
        return sleep_in_kernel(chan, &seen, d, options);
    if (passed(d))
        return ACH_TIMEOUT; /* do not set the flag: the next put would make a vain system call */
    r = wait_prepare(chan, &seen, options, &slice);
    if (r == ACH_EAGAIN)
        return passed(d) ? ACH_TIMEOUT : ACH_OK;
    if (r != ACH_OK)
        return r;
    nap = nap_begin(&item, 1, &slice);
    r = find_end(d, slice, &end) ? wait_sleep_on(w, add_words(w, chan, &seen, &end), &end)
                                 : ACH_TIMEOUT;
    fetch_next(chan);
    nap_end(&item, 1, &seen, &nap);
    return r;
}

/* Check all channels: count those with news in *ready, and store the commit words in seen. */
static enum ach_status look_at(ach_wait_item_t *items, size_t n, struct achi_seen *seen,
                               size_t *ready)
{
    size_t i;

    *ready = 0;
    for (i = 0; i < n; i++) {
        struct achi_handle *h = items[i].chan->priv;

        if (achi_canceled(items[i].chan))
            return ACH_CANCELED;
        items[i].status = achi_peek(&h->view, achi_cursor_in(items[i].chan), &seen[i].commit);
        *ready += items[i].status != ACH_EAGAIN;
    }
    return ACH_OK;
}

/* Sleep on all words once. */
static enum ach_status sleep_on_words(ach_wait_item_t *items, size_t n, struct achi_seen *seen,
                                      const struct achi_deadline *d, int options, size_t *ready)
{
    struct achi_futex_word w[ACHI_SLEEP_WORDS * ACH_WAIT_MAX];
    int64_t slice = ACHI_SLICE_NS;
    unsigned used = 0;
    struct nap nap;
    struct end end;
    enum ach_status r;
    size_t i;

    if (anticipate(items, n, seen, d, options))
        return passed(d) ? ACH_TIMEOUT : ACH_OK;
    for (i = 0; i < n; i++) {
        r = wait_prepare(items[i].chan, &seen[i], options, &slice);

        if (r == ACH_EAGAIN)
            return passed(d) ? ACH_TIMEOUT : ACH_OK;
        if (r != ACH_OK) {
            items[i].status = r;
            ++*ready;
        }
    }
    if (*ready)
        return ACH_OK;
    nap = nap_begin(items, n, &slice);
    r = ACH_TIMEOUT;
    if (find_end(d, slice, &end)) {
        for (i = 0; i < n; i++)
            used += add_words(&w[used], items[i].chan, &seen[i], &end);
        r = wait_sleep_on(w, used, &end);
    }
    nap_end(items, n, seen, &nap);
    return r;
}

static bool any_in_kernel(const ach_wait_item_t *items, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (achi_in_kernel(items[i].chan->priv))
            return true;
    return false;
}

/* Sleep on all channels once. ACH_OK: check again, unless *ready counts some with an error. */
static enum ach_status sleep_on_all(ach_wait_item_t *items, size_t n, struct achi_seen *seen,
                                    const struct achi_deadline *d, int options, size_t *ready)
{
    enum ach_status r;

    if (options & ACH_O_INTERRUPT) /* the futex call for several words is restarted, not ended */
        return achi_poll_all(items, n, d, options, ready);
    if (!any_in_kernel(items, n))
        return sleep_on_words(items, n, seen, d, options, ready);
    /* GCOVR_EXCL_START: kernel channels */
    if (n > 1)
        return achi_poll_all(items, n, d, options, ready);
    if (anticipate(items, 1, seen, d, options))
        return passed(d) ? ACH_TIMEOUT : ACH_OK;
    r = sleep_in_kernel(items[0].chan, seen, d, options);
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
    struct achi_seen seen[ACH_WAIT_MAX];
    struct achi_deadline d;
    bool late = false;
    size_t i, ready;
    enum ach_status r;

    if (!items || n == 0 || n > ACH_WAIT_MAX)
        return achi_fail(ACH_EINVAL, "ach_wait accepts 1 to %u channels", ACH_WAIT_MAX);
    if (options & ~OPTIONS_OF_WAIT)
        return achi_fail(ACH_EINVAL, "ach_wait accepts only ACH_O_RELTIME, _LINKED and _INTERRUPT");
    for (i = 0; i < n; i++) {
        if (!items[i].chan)
            return achi_fail(ACH_EINVAL, "channel %zu of ach_wait is NULL", i);
        if (!achi_handle_in(items[i].chan))
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
        late = r == ACH_TIMEOUT; /* check once more for a message that came in time */
        if ((r != ACH_OK && !late) || ready)
            return r;
    }
}
