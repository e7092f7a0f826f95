/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * read.c - read one message, straight from the ring and without a lock
 *
 * Writers may overwrite the message during the copy, and another thread may read
 * it through the same open file. Both are detected after the copy; the read then
 * starts again.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "file.h"

/* Result of try_get: try again. Never returned to the caller. */
#define OVERTAKEN (-EBUSY)

static ssize_t refusal(const struct achk_file *f, enum ach_status status)
{
    switch (status) {
    case ACH_EAGAIN:
        return -EAGAIN;
    case ACH_OVERFLOW:
        return -EMSGSIZE;
    case ACH_CORRUPT:
        if (achk_channel_state(f->channel) == ACHI_REPLACED)
            return -ESTALE;
        return f->mapped ? -EAGAIN : -EIO; /* the program stored a sequence beyond the newest */
    default:
        return -EIO;
    }
}

static void count_overtaken(struct achk_file *f, u64 times)
{
    raw_spin_lock(&f->lock);
    f->cursor.overtaken += times;
    raw_spin_unlock(&f->lock);
}

static ssize_t try_get(struct achk_file *f, char __user *buf, size_t size, int options)
{
    const u64 from = achk_cursor_seen(f);
    struct achi_cursor way = {.seen = from};
    struct achi_look look;
    enum ach_status r;
    u32 word;

    r = achi_get(&f->channel->view, &way, NULL, size, options, &look, &word);
    if (r != ACH_OK && r != ACH_MISSED_FRAME) {
        if (way.overtaken)
            count_overtaken(f, way.overtaken);
        return refusal(f, r);
    }
    if (copy_to_user(buf, look.place, look.size))
        return -EFAULT;
    if (!achi_look_valid(&look)) {
        count_overtaken(f, way.overtaken + 1);
        return OVERTAKEN;
    }
    return achk_cursor_move(f, from, &way) ? (ssize_t)look.size : OVERTAKEN;
}

static ssize_t get(struct achk_file *f, char __user *buf, size_t size, int options)
{
    ssize_t r = OVERTAKEN;
    int tries;

    for (tries = 0; tries < ACHI_GET_TRIES && r == OVERTAKEN; tries++) {
        r = try_get(f, buf, size, options);
        if (r == OVERTAKEN && fatal_signal_pending(current))
            return -EINTR;
        cond_resched();
    }
    return r;
}

/* After a signal: restart the read only if it has no timeout. */
static ssize_t interrupted(const struct achk_deadline *d)
{
    return d->at == KTIME_MAX ? -ERESTARTSYS : -EINTR;
}

/* The first try found no message: start the timeout. */
static void begin_wait(struct achk_file *f, struct achk_deadline *d)
{
    u64 timeout;

    raw_spin_lock(&f->lock);
    timeout = f->timeout;
    raw_spin_unlock(&f->lock);
    achk_deadline_after(d, timeout);
}

static ssize_t get_wait(struct achk_file *f, char __user *buf, size_t size, int options,
                        u32 cancels)
{
    struct achk_deadline deadline, *d = NULL;
    struct achk_want want;
    ssize_t r;

    for (;;) {
        r = get(f, buf, size, options & ~ACH_O_COPY);
        if (r != OVERTAKEN && r != -EAGAIN)
            return r;
        if (!d) {
            d = &deadline;
            begin_wait(f, d);
        }
        if (r == -EAGAIN) {
            achk_cursor_want(f, &want);
            want.cancels = cancels;
            r = achk_wait(f, &want, d);
            if (r)
                return r == -EINTR ? interrupted(d) : r;
        }
        /* Writers may overtake every try, so this loop must be interruptible. */
        if (signal_pending(current))
            return interrupted(d);
        cond_resched();
    }
}

ssize_t achk_read(struct file *filp, char __user *buf, size_t size, loff_t *pos)
{
    struct achk_file *f = filp->private_data;
    struct achk_want want;
    u32 options = READ_ONCE(f->options);
    ssize_t r;

    achk_cursor_want(f, &want);
    if (READ_ONCE(f->cancels) != want.cancels)
        return -ECANCELED;
    if (!(filp->f_flags & O_NONBLOCK))
        return get_wait(f, buf, size, options, want.cancels);
    r = get(f, buf, size, options);
    if (r == -EAGAIN)
        achk_file_told(f);
    return r == OVERTAKEN ? -EAGAIN : r;
}
