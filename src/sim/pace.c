/* SPDX-License-Identifier: BSD-3-Clause */
/* pace.c - the speed limit: how far virtual time may have advanced by now */
#include "sim.h"

/* Virtual time of the next step of the run. */
static int64_t due(struct sim_sim *s)
{
    const struct sim_sink *last = sim_sink_last(s);
    int64_t world = sim_events_next(s), time = last ? sim_sink_time(last) : SIM_NEVER;

    if (world < time)
        time = world;
    if (s->plan->duration < time)
        time = s->plan->duration;
    if (s->step_end < time)
        time = s->step_end;
    return time == SIM_NEVER ? s->now : time;
}

bool sim_sinks_away(const struct sim_sim *s)
{
    const struct sim_sink *k = s->sinks;

    while (k && k->phase != SIM_AWAY)
        k = k->next;
    return k;
}

/*
 * While a sink is AWAY, virtual time is limited to wall time: the sink is blocked outside, in real
 * time. Otherwise the run could be over before the sink comes back.
 */
static double speed_limit(const struct sim_sim *s)
{
    if (sim_sinks_away(s))
        return s->speed > 0 && s->speed < 1 ? s->speed : 1;
    return s->speed;
}

/* The virtual time that the speed limit permits by now. */
static int64_t permitted(const struct sim_sim *s)
{
    double limit = speed_limit(s);

    if (limit <= 0)
        return s->now;
    return s->time_paced + (int64_t)((double)(monotonic_ns() - s->wall_paced) * limit);
}

/* Nothing has happened since s->now, so time may have advanced up to the next step. */
static int64_t passed(struct sim_sim *s)
{
    int64_t time = permitted(s), next = due(s);

    return time < next ? time : next;
}

int64_t sim_control_time(struct sim_sim *s)
{
    int64_t time = passed(s);

    return time > s->now ? time : s->now;
}

/* A step ahead of the old limit stays ahead of the new one; a late step gains no credit. */
void sim_control_rebase(struct sim_sim *s)
{
    s->time_paced = passed(s);
    s->wall_paced = monotonic_ns();
}

int64_t sim_control_ahead(struct sim_sim *s)
{
    double limit = speed_limit(s);

    if (limit <= 0)
        return 0;
    return (int64_t)((double)(due(s) - s->time_paced) / limit) - (monotonic_ns() - s->wall_paced);
}
