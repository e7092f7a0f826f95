/* SPDX-License-Identifier: BSD-3-Clause */
/* exits.c - sinks that end: with a note, with their process, or killed */
#include <stdio.h>
#include <time.h>

#include "client/event.h"
#include "sim.h"

#define END_LIMIT 2000000000LL /* wall time from BYE to the process's exit */
#define END_NAP 20000L

/* A pending POST is announced first, when the sink's time has come; then the sink is removed. */
void sim_exits_leave(struct sim_sim *s, struct sim_sink *k)
{
    sim_process_continue(s, k); /* it must run to exit */
    if (k->phase == SIM_ASKS && k->post)
        k->leaves = true;
    else
        sim_sink_remove(s, k);
}

void sim_exits_died(struct sim_sim *s, struct sim_sink *k)
{
    pid_t parent = k->tid == k->pid ? sim_process_parent(k->pid) : 0;
    int64_t time = k->phase == SIM_WAITS || k->time < s->now ? s->now : k->time;

    sim_exits_leave(s, k);
    if (parent)
        sim_events_signal(s, parent, time); /* SIGCHLD */
}

/* Does it wait, without a timeout, for events that only its own process can post? */
static bool waits_for_itself(const struct sim_sink *k)
{
    unsigned i;

    for (i = 0; i < k->n_events; i++)
        if (!simc_event_own(k->events[i]))
            return false;
    return k->phase == SIM_WAITS && k->wake == SIM_NEVER && k->n_events > 0;
}

/* Have all threads of its process done so for longer than plan->hang? */
static bool is_stuck(const struct sim_sim *s, const struct sim_sink *k)
{
    int64_t since = monotonic_ns() - (int64_t)(s->plan->hang * 1e9);
    const struct sim_sink *other;

    if (s->plan->hang == 0)
        return false;
    for (other = s->sinks; other; other = other->next)
        if (other->pid == k->pid && (!waits_for_itself(other) || other->wall_wait > since))
            return false;
    return true;
}

/* Dead: killed, ended by another thread's exec, or of a process that is not our child. */
void sim_sinks_sweep(struct sim_sim *s)
{
    struct sim_sink *k;

    for (k = s->sinks; k; k = k->next) {
        if (k->gone)
            continue;
        if (!k->leaves && sim_sink_dead(k))
            sim_exits_died(s, k);
        else if (is_stuck(s, k))
            sim_fail(s, "controller %s hangs: all its threads wait for each other",
                     k->child->plan->name);
    }
}

void sim_process_forget(struct sim_sim *s, pid_t pid)
{
    struct sim_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->pid == pid && !k->gone)
            sim_exits_leave(s, k);
}

/* A zombie leader with threads left still lives: waitpid does not return it yet. */
static bool lives(pid_t pid)
{
    char text[SIM_STAT_SIZE], state;
    int threads;

    sim_proc_stat(pid, pid, text);
    return sscanf(text, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
                  &state, &threads) == 2 &&
           (state != 'Z' || threads > 1);
}

/*
 * Another process may wait for its exit, which only the kernel sees. Virtual time stands still
 * until it has exited, so that such a wait takes equally long in each run.
 */
void sim_process_ends(struct sim_sim *s, pid_t pid)
{
    int64_t until = monotonic_ns() + END_LIMIT, time = s->now;
    const struct timespec t = {0, END_NAP};
    pid_t parent = sim_process_parent(pid);
    const struct sim_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->pid == pid && k->time > time)
            time = k->time;
    sim_process_forget(s, pid);
    while (lives(pid) && monotonic_ns() < until)
        nanosleep(&t, NULL);
    sim_events_signal(s, parent, time); /* SIGCHLD */
}
