/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/* ioctl.c - the ioctl requests of an open channel; see ach/kernel.h */
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/time.h>
#include <linux/uaccess.h>

#include "file.h"

static u32 public_flags(u32 flags)
{
    return (flags & ACHI_F_TIMESTAMPS ? ACH_KERNEL_TIMESTAMPS : 0) |
           (flags & ACHI_F_SINGLE_WRITER ? ACH_KERNEL_SINGLE_WRITER : 0);
}

static long get_info(struct achk_file *f, void __user *arg)
{
    const struct achk_channel *ch = f->channel;
    u32 state = achk_channel_state(ch);
    struct ach_kernel_info info = {
        .frame_cnt = ch->geometry.frame_cnt,
        .frame_size = ch->geometry.frame_size,
        .capacity = ch->geometry.capacity,
        .memory = ch->geometry.memory,
        .flags = public_flags(ch->view.flags),
        .clock = ch->view.clock,
        .unlinked = state != ACHI_LIVE,
        .replaced = state == ACHI_REPLACED,
    };

    while (achi_range(&ch->view, &info.newest, &info.oldest) != ACH_OK) {
        if (signal_pending(current))
            return -EINTR;
        cond_resched();
    }
    return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long get_status(struct achk_file *f, void __user *arg)
{
    struct ach_kernel_status status = {};
    struct achi_cursor cur;

    achk_cursor_load(f, &cur);
    status.seen = cur.seen;
    status.received = cur.received;
    status.missed = cur.missed;
    status.missed_last = cur.missed_last;
    status.stamp = cur.stamp;
    status.overtaken = cur.overtaken;
    return copy_to_user(arg, &status, sizeof(status)) ? -EFAULT : 0;
}

static long set_options(struct achk_file *f, const void __user *arg)
{
    struct ach_kernel_options wish;

    if (copy_from_user(&wish, arg, sizeof(wish)))
        return -EFAULT;
    if (wish.reserved || (wish.options & ~(ACH_O_LAST | ACH_O_COPY)))
        return -EINVAL;
    raw_spin_lock(&f->lock);
    WRITE_ONCE(f->options, wish.options);
    f->timeout = wish.timeout;
    raw_spin_unlock(&f->lock);
    return 0;
}

static long wait(struct achk_file *f, struct ach_kernel_wait __user *arg)
{
    struct ach_kernel_wait wish;
    struct achk_deadline d;
    struct achk_want want;
    u32 cancels;
    long r;

    if (copy_from_user(&wish, arg, sizeof(wish)))
        return -EFAULT;
    if (wish.reserved || (wish.flags & ~ACH_KERNEL_LINKED) || !ACH_KERNEL_CLOCK_KNOWN(wish.clock))
        return -EINVAL;
    want.seen = wish.seen;
    want.cancels = wish.cancels;
    want.linked = wish.flags & ACH_KERNEL_LINKED;
    achk_deadline_at(&d, wish.deadline, wish.clock);
    r = achk_wait(f, &want, &d);
    achk_file_told(f);
    if (r == -ECANCELED) {
        cancels = READ_ONCE(f->cancels);
        if (put_user(cancels, &arg->cancels))
            r = -EFAULT;
    }
    /* If a signal handler ran, return EINTR so that the program can react; else restart. */
    return r == -EINTR ? -ERESTARTNOHAND : r;
}

static long cancel(struct achk_file *f)
{
    raw_spin_lock(&f->lock);
    WRITE_ONCE(f->cancels, f->cancels + 1);
    raw_spin_unlock(&f->lock);
    achk_wake_file(&f->channel->sleepers, f);
    return 0;
}

static long ioctl_flush(struct achk_file *f)
{
    struct achi_cursor newest;
    enum ach_status r;
    u64 from;

    for (;;) {
        from = achk_cursor_seen(f);
        newest = (struct achi_cursor){};
        r = achi_flush(&f->channel->view, &newest);
        if (r == ACH_CORRUPT)
            return achk_channel_state(f->channel) == ACHI_REPLACED ? -ESTALE : -EIO;
        if (r == ACH_OK && achk_cursor_skip(f, from, newest.seen))
            return 0;
        if (signal_pending(current))
            return -EINTR;
        cond_resched();
    }
}

/* Check the file's mode. */
static long permitted(const struct file *filp, unsigned int cmd)
{
    switch (cmd) {
    case ACH_KERNEL_OPTIONS:
    case ACH_KERNEL_WAIT:
    case ACH_KERNEL_FLUSH:
    case ACH_KERNEL_CURSOR:
        return filp->f_mode & FMODE_READ ? 0 : -EBADF;
    case ACH_KERNEL_SOURCE:
        return filp->f_mode & FMODE_WRITE ? 0 : -EBADF;
    default:
        return 0;
    }
}

long achk_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
    struct achk_file *f = filp->private_data;
    void __user *where = (void __user *)arg;
    long r = permitted(filp, cmd);

    if (r)
        return r;
    switch (cmd) {
    case ACH_KERNEL_INFO:
        return get_info(f, where);
    case ACH_KERNEL_STATUS:
        return get_status(f, where);
    case ACH_KERNEL_OPTIONS:
        return set_options(f, where);
    case ACH_KERNEL_WAIT:
        return wait(f, where);
    case ACH_KERNEL_CANCEL:
        return cancel(f);
    case ACH_KERNEL_FLUSH:
        return ioctl_flush(f);
    case ACH_KERNEL_SOURCE:
        return achk_source_declare(filp);
    case ACH_KERNEL_CURSOR:
        return achk_cursor_open(f);
    case ACH_KERNEL_AGAIN:
        return achk_file_again(filp);
    default:
        return -ENOTTY;
    }
}
