/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * file.h - an open channel: how far it has come, who waits on it
 *
 * Threads and processes that share an open file may call everything at the same
 * time. No lock is held while user memory is read or written, except by a large
 * write the one of its own staging buffer, and then waiting for it ends with a
 * signal. So nobody stops anybody by not answering page faults.
 */
#ifndef ACHK_FILE_H
#define ACHK_FILE_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "channel.h"

/* Where a write's message waits for the writers' lock. */
struct achk_staging {
    struct rt_mutex lock;
    void *buf;
    size_t size;
};

struct achk_file {
    struct kref ref; /* of the open file, of its cursor's descriptors, of who wakes it */
    struct achk_channel *channel;
    struct achk_user *user; /* who opened it */
    struct achk_staging staging;

    atomic64_t seen;           /* sequence of the last message; changes with the lock */
    u32 options;               /* of read; likewise */
    raw_spinlock_t lock;       /* guards what follows */
    struct achi_cursor cursor; /* but for seen */
    u64 timeout;

    u32 cancels;
    struct ach_kernel_cursor *mapped; /* a page of its own once asked for; anybody stores to it */
    wait_queue_head_t queue;          /* those who poll */
    struct achk_sleeper poller;
    struct work_struct crowd; /* wakes those who poll if they are many */
    struct list_head blocked; /* tasks; under the sleepers' lock */
    atomic_t waits;           /* tasks that wait, or are about to */
};

/* What a sleeper of a file waits for. */
struct achk_want {
    u64 seen;    /* a message beyond this one */
    u32 cancels; /* or another count of cancels */
    bool linked; /* or that the channel lost its name */
};

struct achk_deadline {
    ktime_t at; /* KTIME_MAX: none */
    int clock;
};

extern const struct file_operations achk_file_ops;

static inline void achk_file_get(struct achk_file *f)
{
    kref_get(&f->ref);
}

void achk_file_put(struct achk_file *f);

/* A descriptor of another open file of the same channel. */
int achk_file_again(struct file *filp);

/* How far the file is, by its own count or by the mapped page. */
static inline struct ach_kernel_cursor *achk_cursor_page(const struct achk_file *f)
{
    return smp_load_acquire(&f->mapped); /* with make_page */
}

static inline u64 achk_cursor_seen(const struct achk_file *f)
{
    const struct ach_kernel_cursor *page = achk_cursor_page(f);

    return page ? READ_ONCE(page->seen) : (u64)atomic64_read(&f->seen);
}

/* What the file would wait for now. */
static inline void achk_cursor_want(const struct achk_file *f, struct achk_want *want)
{
    const struct ach_kernel_cursor *page = achk_cursor_page(f);

    want->seen = achk_cursor_seen(f);
    want->cancels = page ? READ_ONCE(page->cancels) : READ_ONCE(f->cancels);
    want->linked = false;
}

/* cursor.c */
/* All of it. */
void achk_cursor_load(struct achk_file *f, struct achi_cursor *cur);
/* Move on, with what was counted on the way. False: somebody else did, since seen was `from`. */
bool achk_cursor_move(struct achk_file *f, u64 from, const struct achi_cursor *way);
/* Skip to a sequence. False: likewise. */
bool achk_cursor_skip(struct achk_file *f, u64 from, u64 to);
/* A descriptor to map the cursor. */
int achk_cursor_open(struct achk_file *f);

/* wait.c */
/* 0: there is such a message; -EAGAIN: nothing; -ECANCELED, -ESTALE, -ENOENT. */
int achk_look(const struct achk_file *f, const struct achk_want *want);
/* As achk_look, but waits: -ETIMEDOUT, -EINTR; -EDQUOT, -ENOMEM: too many do. */
int achk_wait(struct achk_file *f, const struct achk_want *want, const struct achk_deadline *d);
/* A point in time as the calling program counts it. */
void achk_deadline_at(struct achk_deadline *d, u64 ns, int clock);
void achk_deadline_after(struct achk_deadline *d, u64 ns);

/* Operations. */
ssize_t achk_read(struct file *filp, char __user *buf, size_t size, loff_t *pos);
ssize_t achk_write(struct file *filp, const char __user *buf, size_t n, loff_t *pos);
long achk_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
int achk_mmap(struct file *filp, struct vm_area_struct *vma);

#endif
