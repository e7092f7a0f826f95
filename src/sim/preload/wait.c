/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - waiting in virtual time, for a time or for events */
#include <pthread.h>
#include <signal.h>

#include "pending.h"

void simp_events_add(struct simp_events *e, sim_event_t event)
{
    unsigned i;

    for (i = 0; i < e->n; i++)
        if (e->at[i] == event)
            return;
    if (e->n <= SIM_EVENTS)
        e->at[e->n++] = event;
}

bool simp_wait(int64_t until, struct simp_events *e, uint64_t since)
{
    struct simp_events all = {0};
    sim_event_t signals = simp_signal_event();
    sigset_t mask;
    bool timed, blocked;
    unsigned i;

    simp_events_add(&all, signals);
    for (i = 0; i < e->n; i++)
        simp_events_add(&all, e->at[i]);
    simp_local_enter(signals);
    blocked = simp_signals_block(&mask);
    simc_wait(until, all.at, all.n, since, &timed);
    simp_local_leave(signals);
    e->interrupted |= simp_signals_deliver(e->signals, blocked ? &mask : NULL);
    return timed;
}

bool simp_block(int64_t until, struct simp_events *e, simp_look_fun *look, void *cx)
{
    bool timed = false, found;

    simp_local_post_pending();
    for (;;) {
        uint64_t since = simc_posts(); /* before the check: a later pthread_cancel posts an event */

        if (!e->steady)
            pthread_testcancel();
        simc_act();
        found = look(cx);
        if (found || timed || e->interrupted)
            break;
        timed = simp_wait(until, e, since);
    }
    e->interrupted &= !found;
    simc_cycle();
    return found;
}

bool simp_sleep_until(int64_t time)
{
    struct simp_events e = {.signals = SIMP_ENDS};
    bool timed;

    simp_local_post_pending();
    do {
        uint64_t since = simc_posts();

        pthread_testcancel();
        timed = simp_wait(time, &e, since);
        pthread_testcancel();
    } while (!timed && !e.interrupted);
    simc_cycle();
    return !e.interrupted;
}
