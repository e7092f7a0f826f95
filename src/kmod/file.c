/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "file.h"

#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "limits.h"
#include "registry.h"

static void release_file(struct kref *ref)
{
    struct achk_file *f = container_of(ref, struct achk_file, ref);

    if (f->mapped)
        put_page(virt_to_page(f->mapped));
    achk_user_put(f->user);
    achk_channel_put(f->channel);
    kfree(f);
}

void achk_file_put(struct achk_file *f)
{
    kref_put(&f->ref, release_file);
}

static struct achk_file *create(struct achk_channel *ch)
{
    struct achk_file *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

    if (!f)
        return NULL;
    f->user = achk_user_get(current_fsuid());
    if (!f->user) {
        kfree(f);
        return NULL;
    }
    kref_init(&f->ref);
    f->channel = ch;
    rt_mutex_init(&f->staging.lock);
    raw_spin_lock_init(&f->lock);
    f->timeout = ACH_KERNEL_FOREVER;
    init_waitqueue_head(&f->queue);
    achk_sleeper_init(&f->poller, f, NULL);
    INIT_LIST_HEAD(&f->blocked);
    return f;
}

static int open(struct inode *inode, struct file *filp)
{
    struct achk_channel *ch = achk_registry_open(inode);
    struct achk_file *f;

    if (IS_ERR(ch))
        return PTR_ERR(ch);
    f = create(ch);
    if (!f) {
        achk_channel_put(ch);
        return -ENOMEM;
    }
    filp->private_data = f;
    return stream_open(inode, filp);
}

/* A child of fork that still has the open file does not keep its parent's place. */
static int flush(struct file *filp, fl_owner_t id)
{
    struct achk_file *f = filp->private_data;

    if (READ_ONCE(f->source_of) == id)
        cmpxchg_release(&f->channel->source, f, NULL);
    return 0;
}

static int release(struct inode *inode, struct file *filp)
{
    struct achk_file *f = filp->private_data;

    cmpxchg_release(&f->channel->source, f, NULL);
    achk_sleeper_leave(&f->channel->sleepers, &f->poller);
    achk_uncharge(f->user, f->staging.size);
    kvfree(f->staging.buf);
    achk_file_put(f);
    return 0;
}

/* A quick look: by our own count nobody is ahead of the newest message, so another one is new. */
static bool is_behind(const struct achk_file *f)
{
    u64 seen = (u64)atomic64_read(&f->seen);

    return !achk_cursor_page(f) &&
           !ACHI_NAMES(smp_load_acquire(&f->channel->view.hdr->commit), seen);
}

static __poll_t poll(struct file *filp, struct poll_table_struct *table)
{
    struct achk_file *f = filp->private_data;
    __poll_t mask = 0;
    struct achk_want want;

    if (filp->f_mode & FMODE_WRITE)
        mask |= EPOLLOUT | EPOLLWRNORM;
    if (!(filp->f_mode & FMODE_READ))
        return mask;
    poll_wait(filp, &f->queue, table);
    if (waitqueue_active(&f->queue)) /* else nobody is to be woken */
        achk_sleeper_enter(&f->channel->sleepers, &f->poller);
    if (is_behind(f))
        return mask | EPOLLIN | EPOLLRDNORM;
    achk_cursor_want(f, &want);
    switch (achk_look(f, &want)) {
    case -EAGAIN:
        return mask;
    case -ESTALE:
        return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
    default:
        return mask | EPOLLIN | EPOLLRDNORM;
    }
}

const struct file_operations achk_file_ops = {
    .owner = THIS_MODULE,
    .open = open,
    .flush = flush,
    .release = release,
    .read = achk_read,
    .write = achk_write,
    .poll = poll,
    .mmap = achk_mmap,
    .unlocked_ioctl = achk_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
};
