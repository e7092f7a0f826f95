/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.c - sinks that were killed, or wait for each other */
#include "client/event.h"
#include "sim.h"

static void died(struct sim_sim *s, struct sim_sink *k)
{
    pid_t parent = k->tid == k->pid ? sim_process_parent(k->pid) : 0;
    int64_t time = k->phase == SIM_WAITS || k->time < s->now ? s->now : k->time;

    sim_exits_leave(s, k);
    if (parent)
        sim_events_signal(s, parent, time); /* SIGCHLD */
}

/*
 * A dead thread sends no more notes, but its last ones may still be in the channel, with an event
 * that another thread waits for. So they are taken after the check, and only then it is removed.
 */
bool sim_sink_sweep(struct sim_sim *s, struct sim_sink *k)
{
    if (k->leaves || !sim_sink_dead(k))
        return false;
    while (sim_notes_take(s, 0))
        continue;
    if (!k->gone && !k->leaves)
        died(s, k);
    return true;
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
        if (!sim_sink_sweep(s, k) && is_stuck(s, k))
            sim_fail(s, "controller %s hangs: all its threads wait for each other",
                     k->child->plan->name);
    }
}
