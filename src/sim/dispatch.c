/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.c - dispatches the notes of sinks */
#include "sim.h"

/* A call would have seen real time, or a thread cannot join. */
static void refused(struct sim_sim *s, const struct sim_sink *k, pid_t pid)
{
    const struct sim_child *c = k ? k->child : sim_child_of(s, pid);

    sim_fail(s, "process %d of controller %s was refused: it has printed why", (int)pid,
             c ? c->plan->name : "?");
}

static void hear(struct sim_sim *s, const struct sim_note *n)
{
    struct sim_sink *k = sim_sink_find(s, n->tid);

    if (n->kind == SIM_NOTE_REFUSED) {
        refused(s, k && k->pid == n->pid ? k : NULL, n->pid);
        return;
    }
    if (n->kind == SIM_NOTE_HELLO)
        k = sim_sink_add(s, n);
    if (!k || k->pid != n->pid)
        return;
    if (n->kind == SIM_NOTE_BYE)
        sim_schedule_last(k, n);
    if (n->kind == SIM_NOTE_BYE && n->parent)
        sim_process_ends(s, k->pid);
    else if (n->kind == SIM_NOTE_BYE)
        sim_exits_leave(s, k);
    else
        sim_schedule_heard(s, k, n);
}

bool sim_notes_take(struct sim_sim *s, int64_t wall_until)
{
    struct sim_note n;
    bool understood;

    if (!sim_notes_get(s, &n, wall_until, &understood))
        return false;
    if (understood)
        hear(s, &n);
    return true;
}
