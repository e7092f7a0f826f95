/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turn.c - whose turn it is to use the processor, for how long, and what it is charged
 *
 * A sink that computes is charged for its CPU time. It is looked at when the world or somebody
 * who waits is due, at the latest after a slice, and stopped if it is still at work. A
 * timer is never early and always somewhat late, so each slice takes longer than it was to.
 * With correction, the sink's time is what its CPU clock says, and the next slice is
 * shorter by as much; without, its time is what it was granted, and the error adds up.
 */
#include <string.h>

#include "sim.h"
#include "writer.h"

#define LOOK_WALL 20000000       /* for what has no slices: every 20 ms */
#define ARM_MIN 20000            /* who gets less does not even come to run */
#define POLL_PERIOD 1000000      /* virtual time between two looks at what cannot be seen */
#define CALL_MAX 100000          /* CPU time that one call may cost */
#define SPEAK_LIMIT 1000000000LL /* wall time for others to put a note */
#define COMPLAINTS 5u            /* overruns of one sink that are reported as they happen */

static bool measured(const struct achi_sink *k)
{
    return k->child->plan->model == ACHI_COST_MEASURED;
}

static void trace(struct achi_sim *s, struct achi_sink *k, const char *what, int64_t time)
{
    int64_t wall = achi_wall();

    achi_trace_add(s->trace, k, what, k->wall_begin - s->wall_start, wall - k->wall_begin, k->time,
                   time - k->time);
    k->wall_begin = wall;
}

/* It was permitted to compute until then, its time is that now, and its CPU clock says so. */
static void charge(struct achi_sink *k, int64_t permit, int64_t time, int64_t cpu)
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
    times = (taken - 1) / p->budget;
    k->account.suspended += times * (p->period - p->budget);
    k->cycle += times * p->period;
    k->time = k->permit = k->cycle + taken - times * p->budget;
    k->over = false;
}

static void check_budget(struct achi_sim *s, struct achi_sink *k)
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

void achi_turn_heard(struct achi_sim *s, struct achi_sink *k, const struct achi_note *n)
{
    int64_t time = n->time;

    if (k->phase == ACHI_ASKS && k->post) /* it did not wait for the answer: it is not its turn */
        achi_happen_post(s, k->events[0], s->now);
    if (k->phase == ACHI_AWAY && time < s->now)
        time = s->now;
    if (k->phase == ACHI_WAITS && k->time < s->now) /* it has waited until now */
        k->time = k->permit = k->cycle = s->now;
    if (time < k->time || n->kind == ACHI_NOTE_HELLO)
        time = k->time;
    if (k->running)
        trace(s, k, "computes", time);
    leave_out_call(k, n);
    charge(k, time, time, n->cpu > k->cpu ? n->cpu : k->cpu);
    if (k->phase == ACHI_COMPUTES)
        check_budget(s, k);
    k->serial = n->serial;
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
    k->silent = 0;
    k->cpu = k->cpu_note + k->call_cost;
    achi_go_send(s, k, false, -1);
}

/*
 * When somebody else wants to do something. Not who computes as well: whoever is ahead waits
 * before he acts, and two that must not pass each other would be stopped all the time.
 */
static int64_t next_due(struct achi_sim *s, const struct achi_sink *k)
{
    int64_t due = achi_happen_next(s);
    const struct achi_sink *other;

    for (other = s->sinks; other; other = other->next)
        if (other != k && other->phase != ACHI_COMPUTES && achi_sink_time(other) < due)
            due = achi_sink_time(other);
    return due;
}

/* Virtual time that it may compute before it is looked at. */
static int64_t slice_of(struct achi_sim *s, const struct achi_sink *k)
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

static void resume(struct achi_sim *s, struct achi_sink *k, int64_t length)
{
    k->running = true;
    achi_process_continue(s, k);
    k->wall_resumed = achi_wall();
    k->wall_end = k->wall_resumed + (length > ARM_MIN ? length : ARM_MIN);
}

static void start(struct achi_sim *s, struct achi_sink *k)
{
    k->armed = measured(k) ? slice_of(s, k) : LOOK_WALL;
    k->wall_begin = achi_wall();
    resume(s, k, k->armed);
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
        start(s, k);
        free--;
    }
    while (s->parallel && free && (k = next_sleeper(s))) {
        achi_turn_grant(s, k);
        start(s, k);
        free--;
    }
}

static bool hangs(struct achi_sim *s, const struct achi_sink *k, int64_t cpu, bool blocked)
{
    const double hang = s->plan->hang;
    double silent = (double)k->silent * 1e-9;
    double computed = measured(k) ? (double)(cpu - k->cpu_note) * 1e-9 : silent;

    if (hang == 0 || (blocked ? silent : computed) < hang)
        return false;
    achi_sim_fail(s, "controller %s hangs: it has %s for %.1f s", k->child->plan->name,
                  blocked ? "been blocked outside the simulation" : "computed without a pause",
                  blocked ? silent : computed);
    return true;
}

/* It waits for something that is none of ours: charge it as the plan says. */
static void blocked(struct achi_sim *s, struct achi_sink *k, int64_t cpu)
{
    int64_t time = k->time + cpu - k->cpu;

    if (!k->outside)
        k->account.blocks++;
    k->outside = true;
    if (k->child->plan->outside == ACHI_OUTSIDE_LEAVE) {
        k->phase = ACHI_AWAY;
        k->running = false;
        return;
    }
    if (!measured(k))
        time = k->time;
    else if (k->child->plan->outside == ACHI_OUTSIDE_WALL)
        time = k->time + achi_wall() - k->wall_begin;
    trace(s, k, "blocked", time);
    k->account.blocked += time - k->time - (cpu - k->cpu);
    charge(k, k->permit + cpu - k->cpu, time, cpu);
    k->permit = time;
    achi_go_send(s, k, false, cpu);
    start(s, k);
}

/* The slice is used up: it is stopped, and its time is known again. */
static void slice_over(struct achi_sim *s, struct achi_sink *k, int64_t cpu)
{
    int64_t used = cpu - k->cpu, time = k->time + (s->plan->correction ? used : k->armed);

    if (used - k->armed > k->account.late)
        k->account.late = used - k->armed;
    k->account.slices++;
    k->sliced = true;
    trace(s, k, "computes", time);
    charge(k, k->time + k->armed, time, cpu);
    achi_ledger_line(s->ledger, k->child->plan->name, "slice", k->wall_begin - s->wall_start, time,
                     k->armed, used, &k->account);
    check_budget(s, k);
    achi_go_send(s, k, false, cpu);
}

static bool is_asleep(const struct achi_sink *k)
{
    char state = achi_sink_state(k);

    return state == 'S' || state == 'D';
}

/*
 * It was asleep, and was not heard of. But it may have waited for somebody who was putting a
 * note, and then put its own.
 */
static bool only_waits_to_speak(struct achi_sim *s, const struct achi_sink *k)
{
    if (k->silent < SPEAK_LIMIT && achi_channel_writer(&s->note))
        return true;
    while (achi_notes_take(s, 0))
        continue;
    return achi_sink_exists(s, k) && !is_asleep(k);
}

/* It has not been heard of for the length of its slice. */
static void look(struct achi_sim *s, struct achi_sink *k)
{
    uint64_t serial = k->serial;
    bool asleep = is_asleep(k), speaks;
    int64_t cpu;

    k->silent += achi_wall() - k->wall_resumed;
    if (!asleep && measured(k))
        achi_process_stop(s, k);
    while (achi_notes_take(s, 0))
        continue;
    if (!achi_sink_exists(s, k) || k->serial != serial) /* it has made a call meanwhile */
        return;
    speaks = asleep && only_waits_to_speak(s, k);
    if (!achi_sink_exists(s, k) || k->serial != serial)
        return;
    if (speaks) {
        resume(s, k, ARM_MIN);
        return;
    }
    if (achi_sink_dead(k)) {
        achi_turn_leave(s, k);
        return;
    }
    cpu = achi_sink_cpu(k);
    if (hangs(s, k, cpu, asleep))
        return;
    if (asleep)
        blocked(s, k, cpu);
    else if (measured(k) && cpu - k->cpu < k->armed - k->armed / 8)
        resume(s, k, k->armed - (cpu - k->cpu)); /* somebody else had the processor */
    else if (measured(k))
        slice_over(s, k, cpu);
    else
        start(s, k);
}

/* Its slice is over early. */
static void halt(struct achi_sim *s, struct achi_sink *k)
{
    uint64_t serial = k->serial;
    int64_t cpu;

    k->silent += achi_wall() - k->wall_resumed;
    k->wall_resumed = achi_wall();
    if (!measured(k) || is_asleep(k))
        return;
    achi_process_stop(s, k);
    while (achi_notes_take(s, 0))
        continue;
    if (!achi_sink_exists(s, k) || k->serial != serial)
        return;
    cpu = achi_sink_cpu(k);
    k->armed = cpu - k->cpu;
    slice_over(s, k, cpu);
}

static struct achi_sink *one_that_runs(const struct achi_sim *s, int64_t since)
{
    struct achi_sink *k = s->sinks;

    while (k && (!k->running || k->wall_resumed >= since))
        k = k->next;
    return k;
}

void achi_turn_halt(struct achi_sim *s)
{
    int64_t begin = achi_wall();
    struct achi_sink *k;

    while ((k = one_that_runs(s, begin)))
        halt(s, k);
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
void achi_turn_wait(struct achi_sim *s)
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
