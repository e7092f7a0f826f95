/* SPDX-License-Identifier: BSD-3-Clause */
/* horizon.c - which sink has the earliest time, and how far one may go without a note */
#include "sim.h"

/*
 * May a go before b, at the same time? b is blocked outside, and may be waiting for a. Unless costs
 * are measured, only within one controller: whether b is found asleep depends on the machine, and
 * other controllers must not be affected by that.
 */
static bool may_pass(const struct sim_sink *a, const struct sim_sink *b)
{
    return b->outside && !a->outside && (sim_schedule_measured(b) || a->child == b->child);
}

/*
 * Unless costs are measured, threads of a process that are at the same time run one after the
 * other: they share memory. A thread that computes gets to its next call before others run.
 */
static bool is_first(const struct sim_sink *a, const struct sim_sink *b)
{
    return a->pid == b->pid && !sim_schedule_measured(a) && a->phase == SIM_COMPUTES &&
           !a->outside && b->phase != SIM_COMPUTES;
}

static bool is_behind(const struct sim_sink *a, const struct sim_sink *b)
{
    int64_t time = sim_sink_time(a), other = sim_sink_time(b);

    return time < other || (time == other && (may_pass(a, b) || is_first(a, b)));
}

/* A blocked sink that another sink has woken runs before that other sink goes on. */
static void recheck_outside(const struct sim_sim *s)
{
    struct sim_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->outside && k->phase == SIM_COMPUTES && !sim_sink_asleep(k))
            k->outside = false;
}

/* On a tie the first one in the list wins. */
struct sim_sink *sim_sink_last(const struct sim_sim *s)
{
    struct sim_sink *k, *last = s->sinks;

    recheck_outside(s);
    for (k = s->sinks; k; k = k->next)
        if (is_behind(k, last))
            last = k;
    return last;
}

/* On a tie the world acts first, then the sinks in the order of the list. */
int64_t sim_sink_horizon(const struct sim_sim *s, const struct sim_sink *k)
{
    int64_t next = sim_events_next((struct sim_sim *)(uintptr_t)s), horizon;
    const struct sim_sink *other;
    bool first = true;

    if (k->phase == SIM_AWAY) /* other times may have advanced when it comes back */
        return -1;
    horizon = next == SIM_NEVER ? next : next - 1;
    for (other = s->sinks; other; other = other->next) {
        int64_t time = sim_sink_time(other);

        if (other == k)
            first = false;
        else if (other->phase == SIM_AWAY && k->time < horizon)
            horizon = k->time; /* it may come back at any time */
        else if (time != SIM_NEVER && time - first < horizon)
            horizon = time - first;
    }
    return horizon;
}
