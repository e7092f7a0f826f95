/* SPDX-License-Identifier: BSD-3-Clause */
/* exits.c - sinks that end: with a note, or with their process */
#include <stdio.h>

#include "sim.h"

#define END_LIMIT 2000000000LL /* wall time from BYE to the process's exit */
#define END_NAP 20000

/* A pending POST is announced first, when the sink's time has come; then the sink is removed. */
void sim_exits_leave(struct sim_sim *s, struct sim_sink *k)
{
    sim_process_continue(s, k); /* it must run to exit */
    if (k->phase == SIM_ASKS && k->post)
        k->leaves = true;
    else
        sim_sink_remove(s, k);
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
    pid_t parent = sim_process_parent(pid);
    int64_t nap = END_NAP;
    const struct sim_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->pid == pid && k->time > time)
            time = k->time;
    sim_process_forget(s, pid);
    while (lives(pid) && monotonic_ns() < until)
        sim_process_nap(&nap);
    sim_events_signal(s, parent, time); /* SIGCHLD */
}
