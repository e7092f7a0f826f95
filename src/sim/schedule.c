/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedule.c - which sink may use the processor, for how long, and what it is charged
 *
 * A sink that computes is charged for its CPU time. It computes until it sends a note, or until
 * its slice is over (watchdog.c). It may get ahead of the world and of other sinks, since it cannot
 * see or change anything without a note.
 */
#include <string.h>

#include "sim.h"

#define LOOK_WALL 20000000  /* check interval of sinks without measured costs: 20 ms */
#define ARM_MIN 20000       /* shortest slice: in less, a thread hardly gets scheduled */
#define POLL_PERIOD 1000000 /* virtual time after which a wait for SIM_EVENT_POLL ends */
#define CALL_MAX 100000     /* plausible CPU time of one call */
#define COMPLAINTS 5u       /* overruns of one sink that are reported as they happen */

void sim_schedule_trace(struct sim_sim *s, struct sim_sink *k, const char *what, int64_t time)
{
    int64_t wall = monotonic_ns();

    sim_trace_add(s->trace, k, what, k->wall_begin - s->wall_start, wall - k->wall_begin, k->time,
                  time - k->time);
    k->wall_begin = wall;
}

void sim_schedule_charge(struct sim_sink *k, int64_t permit, int64_t time, int64_t cpu)
{
    k->account.granted += permit - k->permit;
    k->account.used += cpu - k->cpu;
    k->permit = permit;
    k->time = time;
    k->cpu = cpu;
}

/* Charge from note.begin, without the last call. Its cost is the estimate for the next call. */
static void leave_out_call(struct sim_sink *k, const struct sim_note *n)
{
    if (n->kind == SIM_NOTE_HELLO || n->begin < k->cpu_note || n->begin > n->cpu)
        return;
    if (!k->sliced && n->begin - k->cpu_note < CALL_MAX) /* a larger cost is of many clock reads */
        k->call_cost = n->begin - k->cpu_note;
    k->cpu = n->begin;
}

static void report_overrun(const struct sim_sink *k)
{
    if (k->account.overruns <= COMPLAINTS)
        fprintf(stderr, "ach sim: at %.6f s %s has used %.3f ms, of %.3f ms%s\n",
                (double)k->time * 1e-9, k->child->plan->name, (double)(k->time - k->cycle) * 1e-6,
                (double)k->child->plan->budget * 1e-6,
                k->account.overruns == COMPLAINTS ? "; further overruns are not reported" : "");
}

/*
 * Its cycle has exceeded the budget. A suspended controller resumes in its next period. The excess
 * is charged there, even if it was noticed late.
 */
static void overrun(struct sim_sim *s, struct sim_sink *k)
{
    const struct sim_plan_controller *p = k->child->plan;
    int64_t taken = k->time - k->cycle, times;

    k->over = true;
    k->account.overruns++;
    sim_ledger_line(s->ledger, p->name, "overrun", monotonic_ns() - s->wall_start, k->time,
                    p->budget, taken, &k->account);
    report_overrun(k);
    if (p->overrun == SIM_OVERRUN_END)
        sim_fail(s, "controller %s has used %.3f ms in a cycle, and may use %.3f ms", p->name,
                 (double)taken * 1e-6, (double)p->budget * 1e-6);
    if (p->overrun != SIM_OVERRUN_SUSPEND)
        return;
    k->account.granted += k->time - k->permit; /* the excess of its slice counts as well */
    times = (taken - 1) / p->budget;
    k->account.suspended += times * (p->period - p->budget);
    k->cycle += times * p->period;
    k->time = k->permit = k->cycle + taken - times * p->budget;
    k->over = false;
}

void sim_schedule_check_budget(struct sim_sim *s, struct sim_sink *k)
{
    int64_t taken = k->time - k->cycle;

    if (taken > k->account.worst)
        k->account.worst = taken;
    if (k->child->plan->budget && !k->over && taken > k->child->plan->budget)
        overrun(s, k);
}

static void begin_wait(struct sim_sim *s, struct sim_sink *k, const struct sim_note *n)
{
    sim_ledger_line(s->ledger, k->child->plan->name, "cycle", monotonic_ns() - s->wall_start,
                    k->time, k->child->plan->budget, k->time - k->cycle, &k->account);
    k->phase = SIM_WAITS;
    k->wall_wait = monotonic_ns();
    k->since = n->since;
    k->wake = n->until > k->time ? n->until : k->time;
    k->timed = true;
    sim_watch_want(s, k->events, k->n_events);
    if (sim_events_since(s, k)) {
        k->wake = k->time;
        k->timed = n->until <= k->time;
    } else if (sim_sink_names(k, SIM_EVENT_POLL) && k->wake - k->time > POLL_PERIOD) {
        k->wake = k->time + POLL_PERIOD;
        k->timed = false;
    }
}

/*
 * A sink that was AWAY rejoins at the current time. It is charged for what it computed, not for
 * the time that it was away: its time, permit and cycle are shifted by that.
 */
static int64_t come_back(struct sim_sim *s, struct sim_sink *k, int64_t time)
{
    int64_t now = sim_control_time(s), left;

    sim_control_rebase(s);
    if (time < k->time)
        time = k->time;
    left = now > time ? now - time : 0;
    k->account.left += left;
    k->time += left;
    k->permit += left;
    k->cycle += left;
    return time + left;
}

void sim_schedule_last(struct sim_sink *k, const struct sim_note *n)
{
    if (k->phase != SIM_COMPUTES || n->time < k->time)
        return;
    leave_out_call(k, n);
    sim_schedule_charge(k, n->time, n->time, n->cpu > k->cpu ? n->cpu : k->cpu);
}

void sim_schedule_heard(struct sim_sim *s, struct sim_sink *k, const struct sim_note *n)
{
    int64_t time = n->time;

    if (k->phase == SIM_ASKS && k->post) /* it did not wait for its go: announce the POST now */
        sim_events_post(s, k->events[0], s->now);
    if (k->phase == SIM_AWAY)
        time = come_back(s, k, time);
    if (k->phase == SIM_WAITS && k->time < s->now) /* a new note during a wait: the wait ends now */
        k->time = k->permit = k->cycle = s->now;
    if (time < k->time || n->kind == SIM_NOTE_HELLO)
        time = k->time;
    if (k->running)
        sim_schedule_trace(s, k, "computes", time);
    leave_out_call(k, n);
    sim_schedule_charge(k, time, time, n->cpu > k->cpu ? n->cpu : k->cpu);
    if (k->phase == SIM_COMPUTES)
        sim_schedule_check_budget(s, k);
    k->serial = n->serial;
    sim_board_release(s, k);
    k->cpu_critical = -1;
    k->running = k->outside = k->sliced = false;
    k->cpu_note = n->cpu;
    k->account.notes++;
    k->n_events = n->n_events;
    memcpy(k->events, n->events, n->n_events * sizeof(n->events[0]));
    k->phase = SIM_ASKS;
    k->post = n->kind == SIM_NOTE_POST && n->n_events;
    if (n->kind == SIM_NOTE_WAIT)
        begin_wait(s, k, n);
    sim_process_continue(s, k); /* it sleeps until its go anyway */
}

void sim_schedule_grant(struct sim_sim *s, struct sim_sink *k)
{
    if (k->post)
        sim_events_post(s, k->events[0], k->time);
    k->post = false;
    if (k->leaves) {
        sim_sink_remove(s, k);
        return;
    }
    if (k->phase == SIM_WAITS) {
        k->time = k->cycle = k->permit = k->wake;
        k->over = false;
        k->account.activations++;
        s->activations++;
    }
    k->phase = SIM_COMPUTES;
    k->cpu_look = -1;
    k->cpu = k->cpu_note + k->call_cost;
    sim_go_send(s, k, false, -1);
}

/* The next action of another thread of the process: threads share memory, so k stops there. */
static int64_t next_due(const struct sim_sim *s, const struct sim_sink *k)
{
    int64_t due = SIM_NEVER;
    const struct sim_sink *other;

    for (other = s->sinks; other; other = other->next)
        if (other != k && other->pid == k->pid && other->phase != SIM_COMPUTES &&
            sim_sink_time(other) < due)
            due = sim_sink_time(other);
    return due;
}

/*
 * Virtual time that it may compute before it is checked. It need not end when the world or another
 * process is due: they act at their own time all the same, and each stop costs.
 */
static int64_t slice_of(const struct sim_sim *s, const struct sim_sink *k)
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

void sim_schedule_resume(struct sim_sim *s, struct sim_sink *k, int64_t length)
{
    k->running = true;
    sim_process_continue(s, k);
    k->wall_resumed = monotonic_ns();
    k->wall_end = k->wall_resumed + (length > ARM_MIN ? length : ARM_MIN);
}

void sim_schedule_start(struct sim_sim *s, struct sim_sink *k)
{
    struct sim_clocks c = {0};

    k->armed = sim_schedule_measured(k) ? slice_of(s, k) : LOOK_WALL;
    sim_board_release(s, k);
    if (sim_schedule_measured(k) && !s->parallel)
        sim_board_want_others(s, k);
    if (sim_schedule_measured(k) && k->child->plan->outside == SIM_OUTSIDE_WALL)
        sim_sink_clocks(k, &c);
    k->delay = c.delay;
    k->wall_begin = monotonic_ns();
    sim_schedule_resume(s, k, k->armed);
}

/* Of the sinks that compute and do not run yet, the one with the earliest time. */
static struct sim_sink *next_to_start(const struct sim_sim *s)
{
    struct sim_sink *k, *best = NULL;

    for (k = s->sinks; k; k = k->next)
        if (k->phase == SIM_COMPUTES && !k->running && (!best || k->time < best->time))
            best = k;
    return best;
}

/* Are there other threads in its process? They see its memory without sending a note. */
static bool shares_memory(const struct sim_sim *s, const struct sim_sink *k)
{
    const struct sim_sink *other = s->sinks;

    while (other && (other == k || other->pid != k->pid))
        other = other->next;
    return other;
}

/* A sink that only sleeps may resume early on a free core: it must send a note before it acts. */
static struct sim_sink *next_sleeper(const struct sim_sim *s)
{
    struct sim_sink *k, *best = NULL;

    for (k = s->sinks; k; k = k->next)
        if (k->phase == SIM_WAITS && k->n_events == 0 && k->wake < s->plan->duration &&
            (!best || k->wake < best->wake) && !shares_memory(s, k))
            best = k;
    return best;
}

void sim_schedule_dispatch(struct sim_sim *s)
{
    size_t free = s->parallel ? s->plan->n_cores : 1;
    struct sim_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->running && !k->outside)
            free -= free > 0;
    while (free && (k = next_to_start(s))) {
        sim_schedule_start(s, k);
        free--;
    }
    while (s->parallel && free && (k = next_sleeper(s))) {
        sim_schedule_grant(s, k);
        sim_schedule_start(s, k);
        free--;
    }
}
