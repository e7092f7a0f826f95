/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turn.c - whose turn it is to use the processor, for how long, and what it is charged
 *
 * A sink that computes is charged for its CPU time. It computes until it asks for something, or
 * until its slice is over: see look.c. It may be ahead of the world and of others then, since it
 * cannot see or change anything without asking.
 */
#include <string.h>

#include "sim.h"

#define LOOK_WALL 20000000  /* for what has no slices: every 20 ms */
#define ARM_MIN 20000       /* who gets less does not even come to run */
#define POLL_PERIOD 1000000 /* virtual time between two looks at what cannot be seen */
#define CALL_MAX 100000     /* CPU time that one call may cost */
#define COMPLAINTS 5u       /* overruns of one sink that are reported as they happen */

bool achi_turn_measured(const struct achi_sink *k)
{
    return k->child->plan->model == ACHI_COST_MEASURED;
}

void achi_turn_trace(struct achi_sim *s, struct achi_sink *k, const char *what, int64_t time)
{
    int64_t wall = achi_wall();

    achi_trace_add(s->trace, k, what, k->wall_begin - s->wall_start, wall - k->wall_begin, k->time,
                   time - k->time);
    k->wall_begin = wall;
}

void achi_turn_charge(struct achi_sink *k, int64_t permit, int64_t time, int64_t cpu)
{
    k->account.granted += permit - k->permit;
    k->account.used += cpu - k->cpu;
    k->permit = permit;
    k->time = time;
    k->cpu = cpu;
}

/* What it used since its last note, without what that call cost; which is about what the next will. */
static void leave_out_call(struct achi_sink *k, const struct achi_note *n)
{
    if (n->kind == ACHI_NOTE_HELLO || n->begin < k->cpu_note || n->begin > n->cpu)
        return;
    if (!k->sliced && n->begin - k->cpu_note < CALL_MAX) /* more were many looks at the clock */
        k->call_cost = n->begin - k->cpu_note;
    k->cpu = n->begin;
}

static void report_overrun(const struct achi_sink *k)
{
    if (k->account.overruns <= COMPLAINTS)
        fprintf(stderr, "ach sim: at %.6f s %s has used %.3f ms, of %.3f ms%s\n",
                (double)k->time * 1e-9, k->child->plan->name, (double)(k->time - k->cycle) * 1e-6,
                (double)k->child->plan->budget * 1e-6,
                k->account.overruns == COMPLAINTS ? "; it is not reported any more" : "");
}

/*
 * Its cycle has taken more than it may. Who is suspended goes on in its next period, with what was
 * too much: also if we come late, which a busy system makes us.
 */
static void overrun(struct achi_sim *s, struct achi_sink *k)
{
    const struct achi_plan_controller *p = k->child->plan;
    int64_t taken = k->time - k->cycle, times;

    k->over = true;
    k->account.overruns++;
    achi_ledger_line(s->ledger, p->name, "overrun", achi_wall() - s->wall_start, k->time, p->budget,
                     taken, &k->account);
    report_overrun(k);
    if (p->overrun == ACHI_OVERRUN_END)
        achi_sim_fail(s, "controller %s has used %.3f ms in a cycle, and may use %.3f ms", p->name,
                      (double)taken * 1e-6, (double)p->budget * 1e-6);
    if (p->overrun != ACHI_OVERRUN_SUSPEND)
        return;
    k->account.granted += k->time - k->permit; /* what its slice took too long counts as well */
    times = (taken - 1) / p->budget;
    k->account.suspended += times * (p->period - p->budget);
    k->cycle += times * p->period;
    k->time = k->permit = k->cycle + taken - times * p->budget;
    k->over = false;
}

void achi_turn_check_budget(struct achi_sim *s, struct achi_sink *k)
{
    int64_t taken = k->time - k->cycle;

    if (taken > k->account.worst)
        k->account.worst = taken;
    if (k->child->plan->budget && !k->over && taken > k->child->plan->budget)
        overrun(s, k);
}

static void begin_wait(struct achi_sim *s, struct achi_sink *k, const struct achi_note *n)
{
    achi_ledger_line(s->ledger, k->child->plan->name, "cycle", achi_wall() - s->wall_start, k->time,
                     k->child->plan->budget, k->time - k->cycle, &k->account);
    k->phase = ACHI_WAITS;
    k->wall_wait = achi_wall();
    k->since = n->since;
    k->wake = n->until > k->time ? n->until : k->time;
    k->timed = true;
    achi_watch_want(s, k->events, k->n_events);
    if (achi_happened_since(s, k)) {
        k->wake = k->time;
        k->timed = n->until <= k->time;
    } else if (achi_sink_names(k, ACHI_EVENT_POLL) && k->wake - k->time > POLL_PERIOD) {
        k->wake = k->time + POLL_PERIOD;
        k->timed = false;
    }
}

/* What it has put last happens before it is gone, when it is its turn. */
void achi_turn_leave(struct achi_sim *s, struct achi_sink *k)
{
    achi_process_continue(s, k); /* it still has to end */
    if (k->phase == ACHI_ASKS && k->post)
        k->leaves = true;
    else
        achi_sink_remove(s, k);
}

void achi_turn_died(struct achi_sim *s, struct achi_sink *k)
{
    pid_t parent = k->tid == k->pid ? achi_process_parent(k->pid) : 0;
    int64_t time = k->phase == ACHI_WAITS || k->time < s->now ? s->now : k->time;

    achi_turn_leave(s, k);
    if (parent)
        achi_happen_signal(s, parent, time); /* SIGCHLD */
}

/*
 * It is back, at the time that it is by now. It is charged for what it computed since then and not
 * for the time that it was away, which belongs to no cycle.
 */
static int64_t come_back(struct achi_sim *s, struct achi_sink *k, int64_t time)
{
    int64_t now = achi_control_time(s), left;

    achi_control_rebase(s);
    if (time < k->time)
        time = k->time;
    left = now > time ? now - time : 0;
    k->account.left += left;
    k->time += left;
    k->permit += left;
    k->cycle += left;
    return time + left;
}

void achi_turn_heard(struct achi_sim *s, struct achi_sink *k, const struct achi_note *n)
{
    int64_t time = n->time;

    if (k->phase == ACHI_ASKS && k->post) /* it did not wait for the answer: it is not its turn */
        achi_happen_post(s, k->events[0], s->now);
    if (k->phase == ACHI_AWAY)
        time = come_back(s, k, time);
    if (k->phase == ACHI_WAITS && k->time < s->now) /* it has waited until now */
        k->time = k->permit = k->cycle = s->now;
    if (time < k->time || n->kind == ACHI_NOTE_HELLO)
        time = k->time;
    if (k->running)
        achi_turn_trace(s, k, "computes", time);
    leave_out_call(k, n);
    achi_turn_charge(k, time, time, n->cpu > k->cpu ? n->cpu : k->cpu);
    if (k->phase == ACHI_COMPUTES)
        achi_turn_check_budget(s, k);
    k->serial = n->serial;
    achi_board_release(s, k);
    k->cpu_critical = -1;
    k->running = k->outside = k->sliced = false;
    k->cpu_note = n->cpu;
    k->account.notes++;
    k->n_events = n->n_events;
    memcpy(k->events, n->events, n->n_events * sizeof(n->events[0]));
    k->phase = ACHI_ASKS;
    k->post = n->kind == ACHI_NOTE_POST && n->n_events;
    if (n->kind == ACHI_NOTE_WAIT)
        begin_wait(s, k, n);
    achi_process_continue(s, k); /* it sleeps by itself */
}

void achi_turn_grant(struct achi_sim *s, struct achi_sink *k)
{
    if (k->post && achi_sink_signaled(s, k->events[0]))
        achi_sinks_sweep(s); /* it may have been killed */
    if (k->post)
        achi_happen_post(s, k->events[0], k->time);
    k->post = false;
    if (k->leaves) {
        achi_sink_remove(s, k);
        return;
    }
    if (k->phase == ACHI_WAITS) {
        k->time = k->cycle = k->permit = k->wake;
        k->over = false;
        k->account.activations++;
        s->activations++;
    }
    k->phase = ACHI_COMPUTES;
    k->cpu_look = -1;
    k->cpu = k->cpu_note + k->call_cost;
    achi_go_send(s, k, false, -1);
}

/* When another thread of the same process wants to do something: they share memory. */
static int64_t next_due(const struct achi_sim *s, const struct achi_sink *k)
{
    int64_t due = ACHI_SIM_NEVER;
    const struct achi_sink *other;

    for (other = s->sinks; other; other = other->next)
        if (other != k && other->pid == k->pid && other->phase != ACHI_COMPUTES &&
            achi_sink_time(other) < due)
            due = achi_sink_time(other);
    return due;
}

/*
 * Virtual time that it may compute before it is looked at. Not only until the world or another
 * process is due: they come to their turn at their own time all the same, and each stop costs.
 */
static int64_t slice_of(const struct achi_sim *s, const struct achi_sink *k)
{
    int64_t end = next_due(s, k), length = s->plan->slice;

    if (end > s->plan->duration)
        end = s->plan->duration;
    if (end >= k->time && end - k->time < length)
        length = end - k->time;
    end = k->cycle + k->child->plan->budget;
    if (k->child->plan->budget && !k->over && end >= k->time && end - k->time + 1 < length)
        length = end - k->time + 1;
    return length > ARM_MIN ? length : ARM_MIN;
}

void achi_turn_resume(struct achi_sim *s, struct achi_sink *k, int64_t length)
{
    k->running = true;
    achi_process_continue(s, k);
    k->wall_resumed = achi_wall();
    k->wall_end = k->wall_resumed + (length > ARM_MIN ? length : ARM_MIN);
}

void achi_turn_start(struct achi_sim *s, struct achi_sink *k)
{
    struct achi_clocks c = {0};

    k->armed = achi_turn_measured(k) ? slice_of(s, k) : LOOK_WALL;
    achi_board_release(s, k);
    if (achi_turn_measured(k) && !s->parallel)
        achi_board_want_others(s, k);
    if (achi_turn_measured(k) && k->child->plan->outside == ACHI_OUTSIDE_WALL)
        achi_sink_clocks(k, &c);
    k->delay = c.delay;
    k->wall_begin = achi_wall();
    achi_turn_resume(s, k, k->armed);
}

/* Of those that compute and do not run yet, the one furthest behind. */
static struct achi_sink *next_to_start(const struct achi_sim *s)
{
    struct achi_sink *k, *best = NULL;

    for (k = s->sinks; k; k = k->next)
        if (k->phase == ACHI_COMPUTES && !k->running && (!best || k->time < best->time))
            best = k;
    return best;
}

/* What threads of a process share is no message: nobody asks before he looks at it. */
static bool shares_memory(const struct achi_sim *s, const struct achi_sink *k)
{
    const struct achi_sink *other = s->sinks;

    while (other && (other == k || other->pid != k->pid))
        other = other->next;
    return other;
}

/* Who only sleeps may wake up on a free core before its time: it has to ask before it acts. */
static struct achi_sink *next_sleeper(const struct achi_sim *s)
{
    struct achi_sink *k, *best = NULL;

    for (k = s->sinks; k; k = k->next)
        if (k->phase == ACHI_WAITS && k->n_events == 0 && k->wake < s->plan->duration &&
            (!best || k->wake < best->wake) && !shares_memory(s, k))
            best = k;
    return best;
}

void achi_turn_dispatch(struct achi_sim *s)
{
    size_t free = s->parallel ? s->plan->n_cores : 1;
    struct achi_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->running && !k->outside)
            free -= free > 0;
    while (free && (k = next_to_start(s))) {
        achi_turn_start(s, k);
        free--;
    }
    while (s->parallel && free && (k = next_sleeper(s))) {
        achi_turn_grant(s, k);
        achi_turn_start(s, k);
        free--;
    }
}
