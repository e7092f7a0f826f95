/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watchdog.c - checks sinks that compute and have sent no note for the length of their slice
 *
 * A sink with measured costs is stopped if it still runs. A timer is never early and always
 * somewhat late, so each slice is longer than planned. With correction, the sink's time follows
 * its CPU clock; without, it follows the planned length, and the error adds up.
 *
 * A process is not left stopped while one of its threads is in a critical section (board.h): it
 * may hold a lock that others need. It continues to the end of the section, and parks there.
 */
#include "sim.h"

#define LOOK_WALL 20000000         /* longest wait for a note */
#define CRITICAL_LOOK 20000        /* wall time between two checks of a critical section */
#define CRITICAL_LOOK_MAX 1000000  /* the same, while the sink is preempted */
#define CRITICAL_LIMIT 100000000LL /* CPU time after which the process is stopped anyway */

/* Wall time since its slice began, without the time it waited for a core; at least its CPU time. */
static int64_t time_asleep(const struct sim_sink *k, const struct sim_clocks *c)
{
    int64_t wall = monotonic_ns() - k->wall_begin, delay = c->delay - k->delay;

    if (delay > 0)
        wall -= delay;
    return wall > c->cpu - k->cpu ? wall : c->cpu - k->cpu;
}

/* Wall time that it has been asleep without using CPU time; 0: it is not asleep. */
static int64_t still_asleep(struct sim_sink *k, int64_t cpu, bool asleep)
{
    if (!asleep || cpu != k->cpu_asleep || !k->wall_asleep)
        k->wall_asleep = asleep ? monotonic_ns() : 0;
    k->cpu_asleep = cpu;
    return k->wall_asleep ? monotonic_ns() - k->wall_asleep : 0;
}

/* A sink that computes is judged by CPU time: it may be preempted for any wall time. */
static bool hangs(struct sim_sim *s, struct sim_sink *k, int64_t cpu, bool asleep)
{
    const int64_t hang = (int64_t)(s->plan->hang * 1e9);
    int64_t blocked = still_asleep(k, cpu, asleep), computed;
    char place[SIM_PLACE_SIZE];

    if (k->cpu_look < 0)
        k->cpu_look = cpu;
    computed = cpu - k->cpu_look;
    if (hang == 0 || (asleep ? blocked : computed) < hang)
        return false;
    if (asleep)
        sim_fail(s,
                 "controller %s hangs: it has been blocked outside the simulation for %.1f s: %s",
                 k->child->plan->name, (double)blocked * 1e-9, sim_sink_place(k, place));
    else
        sim_fail(s, "controller %s hangs: it has computed without a pause for %.1f s",
                 k->child->plan->name, (double)computed * 1e-9);
    return true;
}

/* It is blocked outside the simulation: charge it as the plan says. */
static void block(struct sim_sim *s, struct sim_sink *k, const struct sim_clocks *c)
{
    int64_t used = sim_schedule_measured(k) ? c->cpu - k->cpu : 0, time = k->time;

    if (sim_schedule_measured(k))
        time += k->child->plan->outside == SIM_OUTSIDE_WALL ? time_asleep(k, c) : used;
    if (!k->outside)
        k->account.blocks++;
    k->outside = true;
    sim_schedule_trace(s, k, "blocked", time);
    k->account.blocked += time - k->time - used;
    sim_schedule_charge(k, k->time + used, time, k->cpu + used);
    k->permit = time;
    if (k->child->plan->outside == SIM_OUTSIDE_LEAVE) {
        sim_control_rebase(s);
        k->phase = SIM_AWAY;
        k->running = false;
    }
    sim_go_send(s, k, false, c->cpu);
    if (k->phase != SIM_AWAY)
        sim_schedule_start(s, k);
}

/* The slice is used up. The process is stopped, so its CPU clock is exact. */
static void end_slice(struct sim_sim *s, struct sim_sink *k, int64_t cpu)
{
    int64_t used = cpu - k->cpu, time = k->time + (s->plan->correction ? used : k->armed);
    int64_t permit = k->time + k->armed;

    if (permit > time) /* stopped somewhat early: the rest of the slice is not granted */
        permit = time;
    if (used - k->armed > k->account.late)
        k->account.late = used - k->armed;
    k->account.slices++;
    k->sliced = true;
    sim_schedule_trace(s, k, "computes", time);
    sim_schedule_charge(k, permit, time, cpu);
    sim_ledger_line(s->ledger, k->child->plan->name, "slice", k->wall_begin - s->wall_start, time,
                    k->armed, used, &k->account);
    sim_schedule_check_budget(s, k);
    sim_go_send(s, k, false, cpu);
}

/* Asleep, but not parked by the coordinator. The state is read before the board. */
static bool rests(const struct sim_sim *s, const struct sim_sink *k)
{
    return sim_sink_asleep(k) && !sim_board_parked(s, k);
}

/* Is a thread of its process in a critical section? Ignores threads that have sent BYE. */
static bool is_critical(const struct sim_sim *s, const struct sim_sink *k)
{
    const struct sim_sink *other = s->sinks;

    while (other && !(other->pid == k->pid && !other->leaves && sim_board_critical(s, other)))
        other = other->next;
    return other;
}

/* CPU time of all threads of its process. */
static int64_t cpu_of_process(const struct sim_sim *s, const struct sim_sink *k)
{
    const struct sim_sink *other;
    int64_t sum = 0;

    for (other = s->sinks; other; other = other->next)
        if (other->pid == k->pid)
            sum += sim_sink_cpu(other);
    return sum;
}

/* Should it run to the end of a critical section? Limited: its slot may be wrong. */
static bool lets_finish(const struct sim_sim *s, struct sim_sink *k)
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

/* Stop it if asked to, and read pending notes. False: it has sent a note, or was removed. */
static bool stop_and_hear(struct sim_sim *s, struct sim_sink *k, bool stop)
{
    uint64_t serial = k->serial;

    if (stop)
        sim_process_stop(s, k);
    while (sim_notes_take(s, 0))
        continue;
    return !k->gone && k->serial == serial;
}

/* Asleep all the time since its CPU clock was read: the clock has not moved. */
static bool sleeps_on(const struct sim_sim *s, const struct sim_sink *k, int64_t cpu)
{
    return rests(s, k) && sim_sink_cpu(k) == cpu;
}

/*
 * If costs are not measured, nothing may depend on how long a sleep takes. Then a sleep that ends
 * by itself is no block: state 'D', or a wait for a lock whose owner, a thread of the same process,
 * is runnable.
 */
static bool is_blocked(const struct sim_sim *s, const struct sim_sink *k, int64_t cpu)
{
    return sleeps_on(s, k, cpu) && (sim_schedule_measured(k) || sim_sinks_rest(k->pid)) &&
           sleeps_on(s, k, cpu);
}

/*
 * Let it run to the end of its critical section, where it parks. A check preempts whatever runs on
 * the core. So while the sink gets less than half of the core, the time between checks doubles:
 * otherwise other processes never finish, and its turn never comes.
 */
static void let_finish(struct sim_sim *s, struct sim_sink *k, int64_t cpu)
{
    int64_t waited = monotonic_ns() - k->wall_resumed, length = CRITICAL_LOOK;

    if (sim_schedule_measured(k))
        sim_board_want(s, k);
    if (cpu - k->cpu_resumed < waited / 2)
        length = 2 * waited < CRITICAL_LOOK_MAX ? 2 * waited : CRITICAL_LOOK_MAX;
    k->cpu_resumed = cpu;
    sim_schedule_resume(s, k, length);
}

/* It has sent no note for the length of its slice. */
static void watchdog_look(struct sim_sim *s, struct sim_sink *k)
{
    bool asleep = rests(s, k);
    struct sim_clocks c;

    sim_sink_clocks(k, &c);
    if (!stop_and_hear(s, k, !asleep && sim_schedule_measured(k) && !lets_finish(s, k)))
        return;
    if (sim_sink_sweep(s, k))
        return;
    if (!asleep)
        sim_sink_clocks(k, &c);
    if (hangs(s, k, c.cpu, asleep))
        return;
    if (lets_finish(s, k)) {
        let_finish(s, k, c.cpu);
        return;
    }
    sim_board_release(s, k);
    if (asleep && is_blocked(s, k, c.cpu))
        block(s, k, &c);
    else if (!sim_schedule_measured(k))
        sim_schedule_start(s, k);
    else if (asleep || c.cpu - k->cpu < k->armed - k->armed / 8)
        sim_schedule_resume(s, k, k->armed - (c.cpu - k->cpu)); /* it was preempted */
    else
        end_slice(s, k, c.cpu);
}

/* End its slice early. False: it is in a critical section; try again. */
static bool halt(struct sim_sim *s, struct sim_sink *k)
{
    struct sim_clocks c;

    k->wall_resumed = monotonic_ns();
    if (!sim_schedule_measured(k) || rests(s, k) || !stop_and_hear(s, k, true))
        return true;
    sim_sink_clocks(k, &c);
    if (lets_finish(s, k)) {
        let_finish(s, k, c.cpu);
        return false;
    }
    sim_board_release(s, k);
    k->armed = c.cpu - k->cpu;
    end_slice(s, k, c.cpu);
    return true;
}

static struct sim_sink *one_that_runs(const struct sim_sim *s, int64_t since)
{
    struct sim_sink *k = s->sinks;

    while (k && (!k->running || k->wall_resumed >= since))
        k = k->next;
    return k;
}

void sim_watchdog_halt(struct sim_sim *s)
{
    int64_t begin = monotonic_ns(), nap = CRITICAL_LOOK;
    struct sim_sink *k;

    while ((k = one_that_runs(s, begin))) {
        if (!halt(s, k)) {
            sim_process_nap(&nap);
            k->wall_resumed = 0; /* so that one_that_runs finds it again */
        }
    }
}

/* The sink whose slice ends first. */
static struct sim_sink *first_over(const struct sim_sim *s)
{
    struct sim_sink *k, *first = NULL;

    for (k = s->sinks; k; k = k->next)
        if (k->running && (!first || k->wall_end < first->wall_end))
            first = k;
    return first;
}

void sim_watchdog_wait(struct sim_sim *s)
{
    struct sim_sink *k = first_over(s);
    int64_t until = monotonic_ns() + LOOK_WALL;

    if (k && k->wall_end < until)
        until = k->wall_end;
    if (sim_notes_take(s, until) || s->over)
        return;
    k = first_over(s);
    if (k && k->wall_end <= monotonic_ns())
        watchdog_look(s, k);
}
