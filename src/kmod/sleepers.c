/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "sleepers.h"

#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/wait.h>

#include "file.h"

/* A place in the order of sleepers. */
struct place {
    int prio;
    u64 arrival;
};

void achk_sleepers_init(struct achk_sleepers *all)
{
    spin_lock_init(&all->lock);
    all->tree = RB_ROOT_CACHED;
    all->arrivals = 0;
}

void achk_sleeper_init(struct achk_sleeper *s, struct achk_file *file, struct task_struct *task)
{
    memset(s, 0, sizeof(*s));
    INIT_LIST_HEAD(&s->blocked);
    s->file = file;
    s->task = task;
}

static bool before(const struct achk_sleeper *s, const struct place *at)
{
    return s->prio < at->prio || (s->prio == at->prio && s->arrival < at->arrival);
}

static bool less(struct rb_node *node, const struct rb_node *parent)
{
    const struct achk_sleeper *p = rb_entry(parent, struct achk_sleeper, node);
    const struct place at = {.prio = p->prio, .arrival = p->arrival};

    return before(rb_entry(node, struct achk_sleeper, node), &at);
}

static void put_in(struct achk_sleepers *all, struct achk_sleeper *s)
{
    s->prio = current->prio;
    s->arrival = all->arrivals++;
    rb_add_cached(&s->node, &all->tree, less);
    if (s->task)
        list_add_tail(&s->blocked, &s->file->blocked);
    s->entered = true;
}

/* The last that is done to a sleeper: a task that sees it is gone. */
static void take_out(struct achk_sleepers *all, struct achk_sleeper *s)
{
    rb_erase_cached(&s->node, &all->tree);
    list_del_init(&s->blocked);
    smp_store_release(&s->entered, false);
}

void achk_sleeper_enter(struct achk_sleepers *all, struct achk_sleeper *s)
{
    spin_lock(&all->lock);
    if (s->entered && s->prio != current->prio)
        take_out(all, s);
    if (!s->entered)
        put_in(all, s);
    spin_unlock(&all->lock);
    smp_mb(); /* with achk_wake_all */
}

void achk_sleeper_leave(struct achk_sleepers *all, struct achk_sleeper *s)
{
    if (!smp_load_acquire(&s->entered)) /* with take_out */
        return;
    spin_lock(&all->lock);
    if (s->entered)
        take_out(all, s);
    spin_unlock(&all->lock);
}

static struct achk_sleeper *first_from(const struct achk_sleepers *all, const struct place *at)
{
    struct rb_node *n = all->tree.rb_root.rb_node;
    struct achk_sleeper *found = NULL;

    while (n) {
        struct achk_sleeper *s = rb_entry(n, struct achk_sleeper, node);

        if (before(s, at)) {
            n = n->rb_right;
        } else {
            found = s;
            n = n->rb_left;
        }
    }
    return found;
}

/* The first from a place on that came before a certain arrival. */
static struct achk_sleeper *next_due(const struct achk_sleepers *all, struct place *at, u64 end)
{
    struct achk_sleeper *s = first_from(all, at);

    while (s && s->arrival >= end) {
        /* Later ones of the same priority came even later. */
        at->prio = s->prio + 1;
        at->arrival = 0;
        s = first_from(all, at);
    }
    return s;
}

/* Lets go of the lock. */
static void wake(struct achk_sleepers *all, struct achk_sleeper *s) __releases(&all->lock)
{
    struct task_struct *task = s->task;
    struct achk_file *file = s->file;

    if (task) {
        get_task_struct(task);
        take_out(all, s);
        spin_unlock(&all->lock);
        wake_up_process(task);
        put_task_struct(task);
        return;
    }
    achk_file_get(file);
    if (!waitqueue_active(&file->queue)) /* a poller enters after it got into the queue */
        take_out(all, s);
    spin_unlock(&all->lock);
    /* Without saying what for: so everybody who is woken polls the file again. */
    wake_up(&file->queue);
    achk_file_put(file);
}

/*
 * Wake those who are here now. The way goes through the order once, so it
 * ends, however many come again meanwhile.
 */
void achk_wake_all(struct achk_sleepers *all)
{
    struct place at = {.prio = INT_MIN};
    struct achk_sleeper *s;
    u64 end;

    smp_mb(); /* with achk_sleeper_enter */
    if (!READ_ONCE(all->tree.rb_root.rb_node))
        return;
    spin_lock(&all->lock);
    end = all->arrivals;
    while ((s = next_due(all, &at, end))) {
        at.prio = s->prio;
        at.arrival = s->arrival + 1;
        wake(all, s);
        spin_lock(&all->lock);
    }
    spin_unlock(&all->lock);
}

void achk_wake_file(struct achk_sleepers *all, struct achk_file *file)
{
    struct achk_sleeper *s;
    u64 end;

    smp_mb(); /* with achk_sleeper_enter */
    spin_lock(&all->lock);
    end = all->arrivals;
    while ((s = list_first_entry_or_null(&file->blocked, struct achk_sleeper, blocked)) &&
           s->arrival < end) {
        wake(all, s);
        spin_lock(&all->lock);
    }
    spin_unlock(&all->lock);
    wake_up(&file->queue);
}
