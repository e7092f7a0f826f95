/* SPDX-License-Identifier: BSD-3-Clause */
/* time.c - the time of the calling thread, and its waits */
#include "sink.h"

/* The calling thread's sink; NULL if it is inside the client already. */
static struct simc_sink *enter(void)
{
    struct simc_sink *s = simc_sink();

    if (!s || s->inside)
        return NULL;
    s->inside++;
    simc_critical();
    return s;
}

static void leave(struct simc_sink *s)
{
    s->inside--;
    simc_uncritical();
    simc_sink_unmask(s);
}

void simc_hold(void)
{
    simc_sink_self.inside++;
}

void simc_release(void)
{
    simc_sink_self.inside--;
}

static ach_status_t outcome_without_sink(void)
{
    return simc_sink_self.inside ? ACH_OK : ACH_CLOSED;
}

int64_t simc_now(void)
{
    struct simc_sink *s = enter();

    if (s) {
        simc_sink_look(s);
        leave(s);
    }
    return simc_sink_self.now;
}

ach_status_t simc_act(void)
{
    struct sim_note note = {.kind = SIM_NOTE_ACT};
    struct simc_sink *s = enter();
    ach_status_t r;

    if (!s)
        return outcome_without_sink();
    r = simc_sink_look(s);
    if (r == ACH_OK && s->now > s->last.horizon)
        r = simc_sink_ask(s, &note);
    leave(s);
    return r;
}

static void charge(struct simc_sink *s)
{
    if (s->last.model != SIM_COST_DECLARED || s->spent)
        return;
    s->spent = true;
    s->base_time += s->last.cost;
    if (s->now < s->base_time)
        s->now = s->base_time;
}

void simc_charge(void)
{
    struct simc_sink *s = enter();

    if (!s)
        return;
    charge(s);
    leave(s);
}

void simc_cycle(void)
{
    if (!simc_sink_self.inside)
        simc_sink_self.spent = false;
}

bool simc_spent(void)
{
    return simc_sink_self.spent;
}

void simc_set_spent(bool spent)
{
    simc_sink_self.spent = spent;
}

ach_status_t simc_post(sim_event_t event)
{
    struct sim_note note = {.kind = SIM_NOTE_POST, .n_events = 1, .events = {event}};
    struct simc_sink *s = enter();
    ach_status_t r;

    if (!s)
        return outcome_without_sink();
    r = simc_sink_look(s);
    if (r == ACH_OK)
        r = simc_sink_ask(s, &note);
    leave(s);
    return r;
}

uint64_t simc_posts(void)
{
    return simc_sink_self.last.posts;
}

void simc_yield(void)
{
    bool timed;

    if (simc_sink_self.last.model == SIM_COST_MEASURED)
        simc_act();
    else
        simc_wait(simc_now() + SIMC_YIELD_NS, NULL, 0, 0, &timed);
}

/* Events that do not fit are replaced by SIM_EVENT_POLL. */
static void name_events(struct sim_note *note, const sim_event_t *events, unsigned n)
{
    unsigned i;

    for (i = 0; i < n && i < SIM_EVENTS; i++)
        note->events[i] = events[i];
    note->n_events = i;
    if (i < n)
        note->events[SIM_EVENTS - 1] = SIM_EVENT_POLL;
}

ach_status_t simc_wait(int64_t until, const sim_event_t *events, unsigned n, uint64_t since,
                       bool *timed)
{
    struct sim_note note = {.kind = SIM_NOTE_WAIT, .until = until, .since = since};
    struct simc_sink *s = enter();
    ach_status_t r;

    *timed = true;
    if (!s)
        return outcome_without_sink();
    r = simc_sink_look(s);
    charge(s);
    name_events(&note, events, n);
    if (r == ACH_OK)
        r = simc_sink_ask(s, &note);
    *timed = r != ACH_OK || (s->last.timed && s->now >= until); /* it may have been nudged */
    leave(s);
    return r;
}
