/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "sleepers.h"

#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/wait.h>

#include "file.h"

/* If one file has more pollers, a worker wakes them. */
#define POLLERS_MAX 32

static struct workqueue_struct *workers;

/* A position in the tree of sleepers. */
struct sleepers_place {
    int prio;
    u64 arrival;
};

int achk_sleepers_start(void)
{
    workers = alloc_workqueue("ach", WQ_UNBOUND | WQ_HIGHPRI, 0);
    return workers ? 0 : -ENOMEM;
}

void achk_sleepers_stop(void)
{
    destroy_workqueue(workers);
}

void achk_sleepers_init(struct achk_sleepers *all)
{
    raw_spin_lock_init(&all->lock);
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

static bool before(const struct achk_sleeper *s, const struct sleepers_place *at)
{
    return s->prio < at->prio || (s->prio == at->prio && s->arrival < at->arrival);
}

static bool less(struct rb_node *node, const struct rb_node *parent)
{
    const struct achk_sleeper *p = rb_entry(parent, struct achk_sleeper, node);
    const struct sleepers_place at = {.prio = p->prio, .arrival = p->arrival};

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

/* Last access to a sleeper: once entered is false, its task may return and free the stack. */
static void take_out(struct achk_sleepers *all, struct achk_sleeper *s)
{
    rb_erase_cached(&s->node, &all->tree);
    list_del_init(&s->blocked);
    smp_store_release(&s->entered, false); /* pairs with achk_sleeper_leave */
}

/*
 * A polled file is sorted by the most urgent task that polls it. A waker may miss
 * a file that moves, so wake its pollers to make them poll again.
 */
void achk_sleeper_enter(struct achk_sleepers *all, struct achk_sleeper *s)
{
    bool moved;

    raw_spin_lock(&all->lock);
    moved = s->entered && current->prio < s->prio;
    if (moved)
        take_out(all, s);
    if (!s->entered)
        put_in(all, s);
    raw_spin_unlock(&all->lock);
    smp_mb(); /* pairs with achk_wake_all and achk_wake_file */
    if (moved && !s->task)
        wake_up_all(&s->file->queue);
}

void achk_sleeper_leave(struct achk_sleepers *all, struct achk_sleeper *s)
{
    if (!smp_load_acquire(&s->entered)) /* pairs with take_out */
        return;
    raw_spin_lock(&all->lock);
    if (s->entered)
        take_out(all, s);
    raw_spin_unlock(&all->lock);
}

static struct achk_sleeper *first_from(const struct achk_sleepers *all,
                                       const struct sleepers_place *at)
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

/* The first sleeper from `at` on whose arrival is before `end`. */
static struct achk_sleeper *next_due(const struct achk_sleepers *all, struct sleepers_place *at,
                                     u64 end)
{
    struct achk_sleeper *s = first_from(all, at);

    while (s && s->arrival >= end) {
        /* The rest of this priority arrived even later: skip them. */
        at->prio = s->prio + 1;
        at->arrival = 0;
        s = first_from(all, at);
    }
    return s;
}

/* A sleeper to wake: a task, or a file's pollers. Holds a reference. */
struct chosen {
    struct task_struct *task;
    struct achk_file *file;
};

/* Under the lock. A task's sleeper must not be used after this. */
static void choose(struct achk_sleepers *all, struct achk_sleeper *s, struct chosen *who)
{
    who->task = s->task;
    who->file = s->file;
    if (who->task) {
        get_task_struct(who->task);
        take_out(all, s);
        return;
    }
    achk_file_get(who->file);
    if (!waitqueue_active(&who->file->queue)) /* safe: pollers join the queue before they enter */
        take_out(all, s);
}

static bool is_crowded(struct achk_file *f)
{
    const struct list_head *entry;
    unsigned long flags;
    int n = 0;

    spin_lock_irqsave(&f->queue.lock, flags);
    list_for_each(entry, &f->queue.head)
        if (++n > POLLERS_MAX)
            break;
    spin_unlock_irqrestore(&f->queue.lock, flags);
    return n > POLLERS_MAX;
}

void achk_wake_crowd(struct work_struct *work)
{
    struct achk_file *f = container_of(work, struct achk_file, crowd);

    wake_up_all(&f->queue);
    achk_file_put(f);
}

/* Consumes a reference. Wakes without a poll key, so every woken poller polls the file again. */
static void wake_pollers(struct achk_file *f)
{
    if (is_crowded(f)) {
        if (queue_work(workers, &f->crowd))
            return; /* achk_wake_crowd drops the reference */
    } else {
        wake_up_all(&f->queue);
    }
    achk_file_put(f);
}

static void wake(const struct chosen *who)
{
    if (who->task) {
        wake_up_process(who->task);
        put_task_struct(who->task);
    } else {
        wake_pollers(who->file);
    }
    cond_resched();
}

/* Only sleepers that arrived before this need a wake: later ones have seen the new state. */
static u64 arrivals(struct achk_sleepers *all)
{
    u64 n;

    raw_spin_lock(&all->lock);
    n = all->arrivals;
    raw_spin_unlock(&all->lock);
    return n;
}

/* Wake one. True: there may be more. A sleeper added behind the last one arrived after `end`. */
static bool wake_next(struct achk_sleepers *all, struct sleepers_place *at, u64 *end)
{
    struct achk_sleeper *s;
    struct chosen who;
    bool more = false;

    raw_spin_lock(&all->lock);
    if (at->prio == INT_MIN)
        *end = all->arrivals;
    s = next_due(all, at, *end);
    if (s) {
        at->prio = s->prio;
        at->arrival = s->arrival + 1;
        more = rb_next(&s->node);
        choose(all, s, &who);
    }
    raw_spin_unlock(&all->lock);
    if (s)
        wake(&who);
    return more;
}

static bool wake_next_of(struct achk_sleepers *all, struct achk_file *file, u64 end)
{
    struct achk_sleeper *s;
    struct chosen who;

    raw_spin_lock(&all->lock);
    s = list_first_entry_or_null(&file->blocked, struct achk_sleeper, blocked);
    if (s && s->arrival >= end)
        s = NULL;
    if (s)
        choose(all, s, &who);
    raw_spin_unlock(&all->lock);
    if (s)
        wake(&who);
    return s;
}

/* Passes through the order once, so it ends even if woken sleepers enter again meanwhile. */
void achk_wake_all(struct achk_sleepers *all)
{
    struct sleepers_place at = {.prio = INT_MIN};
    u64 end = 0;

    smp_mb();                                             /* pairs with achk_sleeper_enter */
    if (!data_race(READ_ONCE(all->tree.rb_root.rb_node))) /* rbtree.h writes it plainly */
        return;
    while (wake_next(all, &at, &end))
        ;
}

void achk_wake_file(struct achk_sleepers *all, struct achk_file *file)
{
    u64 end;

    smp_mb(); /* pairs with achk_sleeper_enter */
    end = arrivals(all);
    while (wake_next_of(all, file, end))
        ;
    wake_up_all(&file->queue);
}
