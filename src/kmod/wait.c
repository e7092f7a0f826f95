/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * wait.c - wait for a message, with a deadline on any of four clocks
 */
#include <linux/hrtimer.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/time_namespace.h>

#include "file.h"
#include "limits.h"

int achk_look(const struct achk_file *f, const struct achk_want *want)
{
    const struct achk_channel *ch = f->channel;
    const struct achi_cursor cur = {.seen = want->seen};
    u32 word, state;

    if (READ_ONCE(f->cancels) != want->cancels)
        return -ECANCELED;
    state = achk_channel_state(ch); /* load it first: messages put before it can still be got */
    if (achi_peek(&ch->view, &cur, &word) == ACH_OK)
        return 0;
    if (state == ACHI_REPLACED)
        return -ESTALE;
    return want->linked && state != ACHI_LIVE ? -ENOENT : -EAGAIN;
}

/* Sleep until woken, or until the deadline. */
static void sleep_until(const struct achk_deadline *d)
{
    ktime_t at = d->at;

    if (at != KTIME_MAX)
        schedule_hrtimeout_range_clock(&at, 0, HRTIMER_MODE_ABS, d->clock);
    else
        schedule();
}

static bool passed(const struct achk_deadline *d)
{
    return d->at != KTIME_MAX && (s64)achk_now(d->clock) >= d->at;
}

static int sleep_for(struct achk_file *f, const struct achk_want *want,
                     const struct achk_deadline *d)
{
    struct achk_sleepers *all = &f->channel->sleepers;
    struct achk_sleeper self;
    int r;

    achk_sleeper_init(&self, f, current);
    for (;;) {
        achk_sleeper_enter(all, &self);
        set_current_state(TASK_INTERRUPTIBLE);
        r = achk_look(f, want);
        if (r == -EAGAIN && passed(d))
            r = -ETIMEDOUT; /* before signals: they may never stop */
        if (r == -EAGAIN && signal_pending(current))
            r = -EINTR;
        if (r != -EAGAIN)
            break;
        sleep_until(d);
    }
    __set_current_state(TASK_RUNNING);
    achk_sleeper_leave(all, &self);
    return r;
}

/*
 * A put wakes each waiting task, and any number of tasks can wait on one open file. The first task
 * is covered by the file's own charge; each further one is charged like another open file.
 */
int achk_wait(struct achk_file *f, const struct achk_want *want, const struct achk_deadline *d)
{
    bool charged = atomic_inc_return(&f->waits) > 1;
    int r = charged ? achk_charge_file(f->user, &f->channel->files) : 0;

    if (!r) {
        r = sleep_for(f, want, d);
        if (charged)
            achk_uncharge_file(f->user, &f->channel->files);
    }
    atomic_dec(&f->waits);
    return r;
}

/* The offset of the caller's time namespace. */
static s64 namespace_offset(int clock)
{
    struct timespec64 offset = {};

    if (clock == CLOCK_MONOTONIC)
        timens_add_monotonic(&offset);
    else if (clock == CLOCK_BOOTTIME)
        timens_add_boottime(&offset);
    return timespec64_to_ns(&offset);
}

void achk_deadline_at(struct achk_deadline *d, u64 ns, int clock)
{
    s64 offset = namespace_offset(clock);

    d->clock = clock;
    d->at = KTIME_MAX;
    if (ns >= KTIME_MAX)
        return;
    if (offset > 0)
        d->at = (s64)ns > offset ? (s64)ns - offset : 0;
    else
        d->at = ktime_add_safe(ns, -offset);
}

void achk_deadline_after(struct achk_deadline *d, u64 ns)
{
    d->clock = CLOCK_MONOTONIC;
    d->at = ns >= KTIME_MAX ? KTIME_MAX : ktime_add_safe(ktime_get(), ns);
}
