/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "source.h"

#include <linux/fdtable.h>
#include <linux/sched.h>

#include "file.h"

void achk_source_init(struct achk_source *s)
{
    rt_mutex_init(&s->lock);
}

static int is_file(const void *wanted, struct file *filp, unsigned int fd)
{
    return filp == wanted;
}

static bool has_descriptor(fl_owner_t process, const struct file *filp)
{
    return iterate_fd(process, 0, is_file, filp);
}

/* Under the lock. */
static void set(struct achk_source *s, struct achk_file *f, fl_owner_t process)
{
    WRITE_ONCE(s->file, f);
    WRITE_ONCE(s->process, process);
}

/*
 * The descriptor may be closed during this call. close() removes it from the table
 * and then checks the source (achk_source_closed); here the source is set and then
 * the table is checked. So at least one of the two notices.
 */
long achk_source_declare(struct file *filp)
{
    struct achk_file *f = filp->private_data;
    struct achk_source *s = &f->channel->source;
    fl_owner_t process = current->files;
    long r = 0;

    if (rt_mutex_lock_interruptible(&s->lock))
        return -ERESTARTSYS;
    if (s->file && (s->file != f || s->process != process)) {
        r = -EBUSY;
    } else {
        set(s, f, process);
        if (!has_descriptor(process, filp)) {
            set(s, NULL, NULL);
            r = -EBADF;
        }
    }
    rt_mutex_unlock(&s->lock);
    return r;
}

int achk_source_lock(struct achk_source *s, const struct achk_file *f)
{
    if (rt_mutex_lock_interruptible(&s->lock))
        return -ERESTARTSYS;
    if (s->file == f)
        return 0;
    rt_mutex_unlock(&s->lock);
    return -EACCES;
}

void achk_source_unlock(struct achk_source *s)
{
    rt_mutex_unlock(&s->lock);
}

void achk_source_closed(struct file *filp, fl_owner_t process)
{
    const struct achk_file *f = filp->private_data;
    struct achk_source *s = &f->channel->source;

    if (!achk_source_is(s, f) || READ_ONCE(s->process) != process)
        return;
    rt_mutex_lock(&s->lock);
    if (s->file == f && s->process == process && !has_descriptor(process, filp))
        set(s, NULL, NULL);
    rt_mutex_unlock(&s->lock);
}

void achk_source_end(struct achk_source *s, const struct achk_file *f)
{
    if (!achk_source_is(s, f))
        return;
    rt_mutex_lock(&s->lock);
    if (s->file == f)
        set(s, NULL, NULL);
    rt_mutex_unlock(&s->lock);
}
