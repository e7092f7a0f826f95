/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * sleepers.h - the waiters of a channel, and waking them by priority (G6)
 *
 * A sleeper is either a task blocked in read or ACH_KERNEL_WAIT, or an open
 * file with tasks in poll, select, epoll and the like. A channel's sleepers are
 * sorted by the priority they had when they entered, then by arrival.
 *
 * No wake is lost:
 *
 *   sleeper                              writer
 *   enters the sleepers                  commits, or stores a new state or cancel count
 *   full barrier                         full barrier
 *   checks the channel: nothing new      checks the sleepers: none
 *
 * At least one of the two sees the other's store. A task also sets its task
 * state before it checks the channel, so that a wake between the check and the
 * sleep ends the sleep at once. A poller is in the file's wait queue before the
 * file enters.
 *
 * A waker holds the lock only while it finds the next sleeper, not while it wakes
 * all of them. So the first task runs at once if it is more urgent than the waker,
 * and the lock is held only briefly. The waker therefore holds references: a task's
 * sleeper is removed as the task is woken, and is on the task's stack, so that it
 * may no longer exist right after.
 *
 * The cost of a put: one wake for each blocked task and each polled file, and one
 * for each poller of a file if these are few. A program can poll one file in any
 * number of places; more than POLLERS_MAX pollers are woken by a worker.
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
    struct list_head blocked; /* link in file->blocked, if it is a task */
    struct achk_file *file;   /* valid until the sleeper has left */
    struct task_struct *task; /* NULL: stands for the pollers of the file */
    u64 arrival;
    int prio; /* as in task_struct: less is more urgent */
    bool entered;
};

/* At module load and unload. Stopping waits for queued work. */
int achk_sleepers_start(void);
void achk_sleepers_stop(void);

/* Work function of achk_file.crowd: wakes the pollers of a file. */
void achk_wake_crowd(struct work_struct *work);

void achk_sleepers_init(struct achk_sleepers *all);

/* Initialize a sleeper that has not entered. */
void achk_sleeper_init(struct achk_sleeper *s, struct achk_file *file, struct task_struct *task);

/* Enter with the current task's priority, unless already in. Full barrier: check after it. */
void achk_sleeper_enter(struct achk_sleepers *all, struct achk_sleeper *s);

/* After this no waker refers to the sleeper. */
void achk_sleeper_leave(struct achk_sleepers *all, struct achk_sleeper *s);

/* Wake all sleepers, by priority. Call it after the store that they wait for. */
void achk_wake_all(struct achk_sleepers *all);

/* Wake the blocked tasks and the pollers of this open file. */
void achk_wake_file(struct achk_sleepers *all, struct achk_file *file);

#endif
