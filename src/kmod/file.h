/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * file.h - an open file of a channel: its position and its waiters
 *
 * Threads and processes that share an open file may call everything at the same
 * time. No lock is held while user memory is read or written, with one exception:
 * a large write holds the lock of the file's staging buffer. Waiting for that lock
 * is interruptible. So a process that delays a page fault (userfaultfd, FUSE)
 * cannot block other processes for good.
 */
#ifndef ACHK_FILE_H
#define ACHK_FILE_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "channel.h"

/* Buffer for a large message between copy_from_user and the put. */
struct achk_staging {
    struct rt_mutex lock;
    void *buf;
    size_t size;
};

struct achk_file {
    struct kref ref; /* held by the open file, its cursor's descriptors, and wakers */
    struct achk_channel *channel;
    struct achk_user *user; /* the user that opened it */
    struct achk_staging staging;

    atomic64_t seen;           /* sequence of the last message read; written under lock */
    u32 options;               /* ACH_O_* flags of read; written under lock */
    raw_spinlock_t lock;       /* guards cursor, timeout and cancels */
    struct achi_cursor cursor; /* its field seen is unused: see seen above */
    u64 timeout;

    u32 cancels;
    bool nameless;                    /* the program was told that the channel lost its name */
    struct ach_kernel_cursor *mapped; /* page, or NULL until requested; programs write it */
    wait_queue_head_t queue;          /* tasks in poll, select, epoll */
    struct achk_sleeper poller;
    struct work_struct crowd; /* wakes the queue if it is long */
    struct list_head blocked; /* sleepers of blocked tasks; under the sleepers' lock */
    atomic_t waits;           /* tasks in achk_wait */
};

/* The conditions that end a wait. */
struct achk_want {
    u64 seen;    /* a message with a greater sequence */
    u32 cancels; /* or f->cancels differs from this */
    bool linked; /* or, if set, the channel was unlinked */
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

/* A call found no message. If the channel has no name, poll need not report that any more. */
static inline void achk_file_told(struct achk_file *f)
{
    if (achk_channel_state(f->channel) != ACHI_LIVE)
        WRITE_ONCE(f->nameless, true);
}

/* Open the same channel again, also if it is unlinked. Returns a descriptor. */
int achk_file_again(struct file *filp);

/* The cursor page, or NULL if none was requested. Its values then replace seen and cancels. */
static inline struct ach_kernel_cursor *achk_cursor_page(const struct achk_file *f)
{
    return smp_load_acquire(&f->mapped); /* pairs with make_page */
}

static inline u64 achk_cursor_seen(const struct achk_file *f)
{
    const struct ach_kernel_cursor *page = achk_cursor_page(f);

    return page ? READ_ONCE(page->seen) : (u64)atomic64_read(&f->seen);
}

/* The conditions for the file's current position. */
static inline void achk_cursor_want(const struct achk_file *f, struct achk_want *want)
{
    const struct ach_kernel_cursor *page = achk_cursor_page(f);

    want->seen = achk_cursor_seen(f);
    want->cancels = page ? READ_ONCE(page->cancels) : READ_ONCE(f->cancels);
    want->linked = false;
}

/* cursor.c */
/* Copy the whole cursor. */
void achk_cursor_load(struct achk_file *f, struct achi_cursor *cur);
/* Advance to way->seen and add the counts of way. False: seen is no longer `from`. */
bool achk_cursor_move(struct achk_file *f, u64 from, const struct achi_cursor *way);
/* Skip to a sequence. False: seen is no longer `from`. */
bool achk_cursor_skip(struct achk_file *f, u64 from, u64 to);
/* Returns a descriptor to map the cursor. */
int achk_cursor_open(struct achk_file *f);

/* wait.c */
/* Poll the conditions. 0: a message; -EAGAIN: none is met; -ECANCELED, -ESTALE, -ENOENT. */
int achk_look(const struct achk_file *f, const struct achk_want *want);
/* As achk_look, but waits: -ETIMEDOUT, -EINTR; -EDQUOT, -ENOMEM: too many waiters. */
int achk_wait(struct achk_file *f, const struct achk_want *want, const struct achk_deadline *d);
/* An absolute deadline, in the time namespace of the calling program. */
void achk_deadline_at(struct achk_deadline *d, u64 ns, int clock);
void achk_deadline_after(struct achk_deadline *d, u64 ns);

/* File operations. */
ssize_t achk_read(struct file *filp, char __user *buf, size_t size, loff_t *pos);
ssize_t achk_write(struct file *filp, const char __user *buf, size_t n, loff_t *pos);
long achk_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
int achk_mmap(struct file *filp, struct vm_area_struct *vma);

#endif
