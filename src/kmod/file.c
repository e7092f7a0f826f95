/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "file.h"

#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
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

static int account(struct achk_file *f, struct achk_channel *ch)
{
    int r;

    f->user = achk_user_get(current_fsuid());
    if (!f->user)
        return -ENOMEM;
    r = achk_charge_file(f->user, &ch->files);
    if (r)
        achk_user_put(f->user);
    return r;
}

/* Create a file of the calling user, with its own reference to the channel. May be an ERR_PTR. */
static struct achk_file *file_create(struct achk_channel *ch)
{
    struct achk_file *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
    int r = f ? account(f, ch) : -ENOMEM;

    if (r) {
        kfree(f);
        return ERR_PTR(r);
    }
    kref_init(&f->ref);
    achk_channel_get(ch);
    f->channel = ch;
    rt_mutex_init(&f->staging.lock);
    raw_spin_lock_init(&f->lock);
    f->timeout = ACH_KERNEL_FOREVER;
    achk_file_told(f);
    init_waitqueue_head(&f->queue);
    achk_sleeper_init(&f->poller, f, NULL);
    INIT_WORK(&f->crowd, achk_wake_crowd);
    INIT_LIST_HEAD(&f->blocked);
    return f;
}

static int open(struct inode *inode, struct file *filp)
{
    struct achk_channel *ch = achk_registry_open(inode);
    struct achk_file *f;

    if (IS_ERR(ch))
        return PTR_ERR(ch);
    f = file_create(ch);
    achk_channel_put(ch);
    if (IS_ERR(f))
        return PTR_ERR(f);
    filp->private_data = f;
    return stream_open(inode, filp);
}

static int file_flush(struct file *filp, fl_owner_t process)
{
    achk_source_closed(filp, process);
    return 0;
}

/* The last descriptor was closed: no more calls can come. */
static void end(struct achk_file *f)
{
    struct achk_channel *ch = f->channel;

    achk_source_end(&ch->source, f);
    achk_sleeper_leave(&ch->sleepers, &f->poller);
    achk_uncharge_file(f->user, &ch->files);
    achk_uncharge(f->user, f->staging.size);
    kvfree(f->staging.buf);
    achk_file_put(f);
}

static int file_release(struct inode *inode, struct file *filp)
{
    end(filp->private_data);
    return 0;
}

/* Open the channel again. open() cannot do this once the channel is unlinked. */
static struct file *another(const struct file *filp)
{
    const struct achk_file *f = filp->private_data;
    struct achk_file *twin = file_create(f->channel);
    struct file *file;

    if (IS_ERR(twin))
        return ERR_CAST(twin);
    file =
        anon_inode_getfile("[ach]", &achk_file_ops, twin, filp->f_flags & (O_ACCMODE | O_NONBLOCK));
    if (IS_ERR(file))
        end(twin);
    else
        stream_open(file_inode(file), file);
    return file;
}

int achk_file_again(struct file *filp)
{
    int fd = get_unused_fd_flags(O_CLOEXEC);
    struct file *file;

    if (fd < 0)
        return fd;
    file = another(filp);
    if (IS_ERR(file)) {
        put_unused_fd(fd);
        return (int)PTR_ERR(file);
    }
    fd_install(fd, file);
    return fd;
}

/* Fast path: without a cursor page, seen is never beyond the newest message. */
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
    if (waitqueue_active(&f->queue)) /* else there is no poller to wake */
        achk_sleeper_enter(&f->channel->sleepers, &f->poller);
    if (is_behind(f))
        return mask | EPOLLIN | EPOLLRDNORM;
    achk_cursor_want(f, &want);
    switch (achk_look(f, &want)) {
    case -EAGAIN: /* readable once if the channel has lost its name */
        if (achk_channel_state(f->channel) == ACHI_LIVE || READ_ONCE(f->nameless))
            return mask;
        return mask | EPOLLIN | EPOLLRDNORM;
    case -ESTALE:
        return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
    default:
        return mask | EPOLLIN | EPOLLRDNORM;
    }
}

const struct file_operations achk_file_ops = {
    .owner = THIS_MODULE,
    .open = open,
    .flush = file_flush,
    .release = file_release,
    .read = achk_read,
    .write = achk_write,
    .poll = poll,
    .mmap = achk_mmap,
    .unlocked_ioctl = achk_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
};
