/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * look.c - looks at sinks that compute and have said nothing for the length of their slice
 *
 * One whose costs are measured is stopped if it is still at work. A timer is never early and
 * always somewhat late, so each slice takes longer than it was to. With correction, the sink's
 * time is what its CPU clock says; without, it is what was granted, and the error adds up.
 *
 * No process is left stopped while one of its threads is in a critical section (board.h): it may
 * hold a lock that others need. It runs on until the section is over, and parks there.
 */
#include <time.h>

#include "sim.h"

#define LOOK_WALL 20000000         /* at the latest, something is looked at after so long */
#define CRITICAL_LOOK 20000        /* wall time until a critical section is looked at again */
#define CRITICAL_LIMIT 100000000LL /* CPU time after which its end is not waited for any more */

/* Wall time for which it has slept, as far as is known, without the time it waited for a core. */
static int64_t time_asleep(const struct achi_sink *k, const struct achi_clocks *c)
{
    int64_t wall = achi_wall() - k->wall_begin, delay = c->delay - k->delay;

    if (delay > 0)
        wall -= delay;
    return wall > c->cpu - k->cpu ? wall : c->cpu - k->cpu;
}

/* How long it has been asleep without any progress, wall time; 0: it is not asleep. */
static int64_t still_asleep(struct achi_sink *k, int64_t cpu, bool asleep)
{
    if (!asleep || cpu != k->cpu_asleep || !k->wall_asleep)
        k->wall_asleep = asleep ? achi_wall() : 0;
    k->cpu_asleep = cpu;
    return k->wall_asleep ? achi_wall() - k->wall_asleep : 0;
}

/* By its CPU time if it computes: another process, or a low priority, may keep it from that. */
static bool hangs(struct achi_sim *s, struct achi_sink *k, int64_t cpu, bool asleep)
{
    const int64_t hang = (int64_t)(s->plan->hang * 1e9);
    int64_t blocked = still_asleep(k, cpu, asleep), computed;
    char place[ACHI_PLACE_SIZE];

    if (k->cpu_look < 0)
        k->cpu_look = cpu;
    computed = cpu - k->cpu_look;
    if (hang == 0 || (asleep ? blocked : computed) < hang)
        return false;
    if (asleep)
        achi_sim_fail(
            s, "controller %s hangs: it has been blocked outside the simulation for %.1f s: %s",
            k->child->plan->name, (double)blocked * 1e-9, achi_sink_place(k, place));
    else
        achi_sim_fail(s, "controller %s hangs: it has computed without a pause for %.1f s",
                      k->child->plan->name, (double)computed * 1e-9);
    return true;
}

/* It waits for something that is none of ours: charge it as the plan says. */
static void block(struct achi_sim *s, struct achi_sink *k, const struct achi_clocks *c)
{
    int64_t used = achi_turn_measured(k) ? c->cpu - k->cpu : 0, time = k->time;

    if (achi_turn_measured(k))
        time += k->child->plan->outside == ACHI_OUTSIDE_WALL ? time_asleep(k, c) : used;
    if (!k->outside)
        k->account.blocks++;
    k->outside = true;
    achi_turn_trace(s, k, "blocked", time);
    k->account.blocked += time - k->time - used;
    achi_turn_charge(k, k->time + used, time, k->cpu + used);
    k->permit = time;
    if (k->child->plan->outside == ACHI_OUTSIDE_LEAVE) {
        achi_control_rebase(s);
        k->phase = ACHI_AWAY;
        k->running = false;
    }
    achi_go_send(s, k, false, c->cpu);
    if (k->phase != ACHI_AWAY)
        achi_turn_start(s, k);
}

/* The slice is used up: it is stopped, and its time is known again. */
static void end_slice(struct achi_sim *s, struct achi_sink *k, int64_t cpu)
{
    int64_t used = cpu - k->cpu, time = k->time + (s->plan->correction ? used : k->armed);
    int64_t permit = k->time + k->armed;

    if (permit > time) /* it was stopped somewhat early: what is left is not granted any more */
        permit = time;
    if (used - k->armed > k->account.late)
        k->account.late = used - k->armed;
    k->account.slices++;
    k->sliced = true;
    achi_turn_trace(s, k, "computes", time);
    achi_turn_charge(k, permit, time, cpu);
    achi_ledger_line(s->ledger, k->child->plan->name, "slice", k->wall_begin - s->wall_start, time,
                     k->armed, used, &k->account);
    achi_turn_check_budget(s, k);
    achi_go_send(s, k, false, cpu);
}

/* Or stopped, by somebody else. */
bool achi_look_asleep(const struct achi_sink *k)
{
    char state = achi_sink_state(k);

    return state == 'S' || state == 'D' || (!k->stopped && (state == 'T' || state == 't'));
}

/* Asleep for a reason of its own. It may have parked since it was found asleep. */
static bool rests(const struct achi_sim *s, const struct achi_sink *k)
{
    return achi_look_asleep(k) && !achi_board_parked(s, k);
}

/* One of the threads of its process is in a section whose end is waited for: not one that ends. */
static bool is_critical(const struct achi_sim *s, const struct achi_sink *k)
{
    const struct achi_sink *other = s->sinks;

    while (other && !(other->pid == k->pid && !other->leaves && achi_board_critical(s, other)))
        other = other->next;
    return other;
}

/* CPU time of all threads of its process. */
static int64_t cpu_of_process(const struct achi_sim *s, const struct achi_sink *k)
{
    const struct achi_sink *other;
    int64_t sum = 0;

    for (other = s->sinks; other; other = other->next)
        if (other->pid == k->pid)
            sum += achi_sink_cpu(other);
    return sum;
}

/* A program may never come out of one: its board is wrong, perhaps. */
static bool lets_finish(const struct achi_sim *s, struct achi_sink *k)
{
    int64_t cpu;

    if (!is_critical(s, k)) {
        k->cpu_critical = -1;
        return false;
    }
    cpu = cpu_of_process(s, k);
    if (k->cpu_critical < 0)
        k->cpu_critical = cpu;
    return cpu - k->cpu_critical < CRITICAL_LIMIT;
}

/* Stop it, if that is wanted, and hear what it said before. False: it has spoken, or is gone. */
static bool stop_and_hear(struct achi_sim *s, struct achi_sink *k, bool stop)
{
    uint64_t serial = k->serial;

    if (stop)
        achi_process_stop(s, k);
    while (achi_notes_take(s, 0))
        continue;
    return achi_sink_exists(s, k) && k->serial == serial;
}

/* Asleep since before, and not only between two of its steps: its CPU clock has not moved. */
static bool sleeps_on(const struct achi_sim *s, const struct achi_sink *k, int64_t cpu)
{
    return rests(s, k) && achi_sink_cpu(k) == cpu;
}

/*
 * With costs that are not measured nothing may depend on how long a sleep takes. One that ends by
 * itself is no block: in the kernel ('D'), or for a lock of a thread of the same process that
 * waits for a core.
 */
static bool is_blocked(const struct achi_sim *s, const struct achi_sink *k, int64_t cpu)
{
    return sleeps_on(s, k, cpu) && (achi_turn_measured(k) || achi_sinks_rest(k->pid)) &&
           sleeps_on(s, k, cpu);
}

/* Until the end of its section. */
static void let_finish(struct achi_sim *s, struct achi_sink *k)
{
    if (achi_turn_measured(k))
        achi_board_want(s, k);
    achi_turn_resume(s, k, CRITICAL_LOOK);
}

/* It has not been heard of for the length of its slice. */
static void look(struct achi_sim *s, struct achi_sink *k)
{
    bool asleep = rests(s, k);
    struct achi_clocks c;

    achi_sink_clocks(k, &c);
    if (!stop_and_hear(s, k, !asleep && achi_turn_measured(k) && !lets_finish(s, k)))
        return;
    if (achi_sink_dead(k)) {
        achi_turn_died(s, k);
        return;
    }
    if (!asleep)
        achi_sink_clocks(k, &c);
    if (hangs(s, k, c.cpu, asleep))
        return;
    if (lets_finish(s, k)) {
        let_finish(s, k);
        return;
    }
    achi_board_release(s, k);
    if (asleep && is_blocked(s, k, c.cpu))
        block(s, k, &c);
    else if (!achi_turn_measured(k))
        achi_turn_start(s, k);
    else if (asleep || c.cpu - k->cpu < k->armed - k->armed / 8)
        achi_turn_resume(s, k, k->armed - (c.cpu - k->cpu)); /* somebody else had the processor */
    else
        end_slice(s, k, c.cpu);
}

/* Its slice is over early. False: it is in a critical section, and has to be tried again. */
static bool halt(struct achi_sim *s, struct achi_sink *k)
{
    struct achi_clocks c;

    k->wall_resumed = achi_wall();
    if (!achi_turn_measured(k) || rests(s, k) || !stop_and_hear(s, k, true))
        return true;
    achi_sink_clocks(k, &c);
    if (lets_finish(s, k)) {
        let_finish(s, k);
        return false;
    }
    achi_board_release(s, k);
    k->armed = c.cpu - k->cpu;
    end_slice(s, k, c.cpu);
    return true;
}

static struct achi_sink *one_that_runs(const struct achi_sim *s, int64_t since)
{
    struct achi_sink *k = s->sinks;

    while (k && (!k->running || k->wall_resumed >= since))
        k = k->next;
    return k;
}

void achi_look_halt(struct achi_sim *s)
{
    const struct timespec nap = {0, CRITICAL_LOOK};
    int64_t begin = achi_wall();
    struct achi_sink *k;

    while ((k = one_that_runs(s, begin))) {
        if (!halt(s, k)) {
            nanosleep(&nap, NULL);
            k->wall_resumed = 0; /* once more */
        }
    }
}

/* Whose slice ends first. */
static struct achi_sink *first_over(const struct achi_sim *s)
{
    struct achi_sink *k, *first = NULL;

    for (k = s->sinks; k; k = k->next)
        if (k->running && (!first || k->wall_end < first->wall_end))
            first = k;
    return first;
}

/* Until somebody says something, or a slice is over. */
void achi_look_wait(struct achi_sim *s)
{
    struct achi_sink *k = first_over(s);
    int64_t until = achi_wall() + LOOK_WALL;

    if (k && k->wall_end < until)
        until = k->wall_end;
    if (achi_notes_take(s, until) || s->over)
        return;
    k = first_over(s);
    if (k && k->wall_end <= achi_wall())
        look(s, k);
}
