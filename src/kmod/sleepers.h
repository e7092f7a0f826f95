/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * sleepers.h - who waits for a channel, and waking them by priority (G6)
 *
 * A sleeper is either a task blocked in read or ACH_KERNEL_WAIT, or an open
 * file with tasks in poll, select, epoll and the like. A channel's sleepers are
 * sorted by the priority they had when they came, then by arrival.
 *
 * No wake is lost:
 *
 *   sleeper                              writer
 *   enters the sleepers                  commits, or stores what else there is to tell
 *   full barrier                         full barrier
 *   looks at the channel: nothing new    looks at the sleepers: nobody
 *
 * At least one of the two sees what the other one did. A task has moreover set
 * its state before it looks, so that a wake between looking and sleeping makes
 * the sleep end at once. A poller is in the file's wait queue before the file
 * enters.
 *
 * The lock is held for one sleeper at a time, not while all are woken: the first
 * one runs at once if it is more urgent than who wakes it, and nobody needs the
 * lock for longer than it takes to find the next. So who wakes holds references:
 * a task is taken out of the sleepers as it is woken, and may be gone from
 * its stack the moment after.
 *
 * So much work for who puts: a wake for each blocked task and each polled file,
 * and one for each that polls a file if these are few. A program can poll one
 * file in any number of places; then a worker wakes them.
 */
#ifndef ACHK_SLEEPERS_H
#define ACHK_SLEEPERS_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>

struct achk_file;
struct task_struct;
struct work_struct;

struct achk_sleepers {
    raw_spinlock_t lock;
    struct rb_root_cached tree;
    u64 arrivals;
};

struct achk_sleeper {
    struct rb_node node;
    struct list_head blocked; /* in its file's list, if it is a task */
    struct achk_file *file;   /* never gone before the sleeper has left */
    struct task_struct *task; /* NULL: those who poll the file */
    u64 arrival;
    int prio; /* as in task_struct: less is more urgent */
    bool entered;
};

/* With the module. Stopping ends all work that is under way. */
int achk_sleepers_start(void);
void achk_sleepers_stop(void);

/* The work of a file with many who poll it. */
void achk_wake_crowd(struct work_struct *work);

void achk_sleepers_init(struct achk_sleepers *all);

/* Make a sleeper that has not entered. */
void achk_sleeper_init(struct achk_sleeper *s, struct achk_file *file, struct task_struct *task);

/* Enter with the current task's priority, or stay. Orders this before what is looked at next. */
void achk_sleeper_enter(struct achk_sleepers *all, struct achk_sleeper *s);

/* After this nobody knows of the sleeper. */
void achk_sleeper_leave(struct achk_sleepers *all, struct achk_sleeper *s);

/* Wake everybody, by priority, after something was stored. */
void achk_wake_all(struct achk_sleepers *all);

/* Wake those who wait on this open file. */
void achk_wake_file(struct achk_sleepers *all, struct achk_file *file);

#endif
