/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * write.c - write one message
 *
 * User memory is copied before the writers' lock is taken, so a page fault that
 * takes long delays no other open file. Small messages are copied to the stack,
 * larger ones to a buffer of the open file. The buffer grows to the largest
 * message written and is kept: no allocation after that.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "file.h"
#include "limits.h"

#define SMALL 256

static int put_error(const struct achk_channel *ch, enum ach_status status)
{
    switch (status) {
    case ACH_OK:
        return 0;
    case ACH_EINTR:
        return -ERESTARTSYS;
    case ACH_OVERFLOW:
        return -EMSGSIZE;
    default:
        return achk_channel_state(ch) == ACHI_REPLACED ? -ESTALE : -EIO;
    }
}

static bool only_source(const struct achk_channel *ch)
{
    return ch->view.flags & ACHI_F_SINGLE_WRITER;
}

static int put(struct achk_file *f, const void *msg, size_t n)
{
    struct achk_channel *ch = f->channel;
    enum ach_status status;
    int r;

    if (only_source(ch)) {
        r = achk_source_lock(&ch->source, f);
        if (r)
            return r;
    }
    status = achi_put(&ch->view, msg, n);
    if (only_source(ch))
        achk_source_unlock(&ch->source);
    if (status == ACH_OK)
        achk_wake_all(&ch->sleepers);
    return put_error(ch, status);
}

/* Under the staging lock. */
static int grow(struct achk_file *f, size_t n)
{
    size_t size = max_t(size_t, roundup_pow_of_two(n), PAGE_SIZE);
    void *buf;
    int r;

    if (n <= f->staging.size)
        return 0;
    size = min_t(size_t, size, PAGE_ALIGN(f->channel->view.capacity));
    r = achk_charge(f->user, size - f->staging.size);
    if (r)
        return r;
    buf = kvmalloc(size, ACHK_GFP_USER);
    if (!buf) {
        achk_uncharge(f->user, size - f->staging.size);
        return -ENOMEM;
    }
    kvfree(f->staging.buf);
    f->staging.buf = buf;
    f->staging.size = size;
    return 0;
}

static int put_large(struct achk_file *f, const char __user *buf, size_t n)
{
    int r = rt_mutex_lock_interruptible(&f->staging.lock);

    if (r)
        return -ERESTARTSYS;
    r = grow(f, n);
    if (!r && copy_from_user(f->staging.buf, buf, n))
        r = -EFAULT;
    if (!r)
        r = put(f, f->staging.buf, n);
    rt_mutex_unlock(&f->staging.lock);
    return r;
}

static int put_small(struct achk_file *f, const char __user *buf, size_t n)
{
    u64 msg[SMALL / sizeof(u64)] achk_uncleared; /* only the n bytes filled are read */

    if (copy_from_user(msg, buf, n))
        return -EFAULT;
    return put(f, msg, n);
}

ssize_t achk_write(struct file *filp, const char __user *buf, size_t n, loff_t *pos)
{
    struct achk_file *f = filp->private_data;
    const struct achk_channel *ch = f->channel;
    int r;

    if (n == 0)
        return -EINVAL;
    if (n > ch->view.capacity)
        return -EMSGSIZE;
    if (only_source(ch) && !achk_source_is(&ch->source, f))
        return -EACCES; /* early check, before copying; put() checks under the lock */
    r = n <= SMALL ? put_small(f, buf, n) : put_large(f, buf, n);
    return r ? r : (ssize_t)n;
}
