/* SPDX-License-Identifier: BSD-3-Clause */
/* common.c - waiting, events, and the beginning and end of the library */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "preload.h"

#define WAITERS 4096
#define STATUS_TERMINATED 143

static unsigned waiters[WAITERS];
bool achi_shared_seen;

static void end_process(void)
{
    achi_sim_exit();
    kill(getpid(), SIGTERM);
    _exit(STATUS_TERMINATED);
}

__attribute__((constructor)) static void begin(void)
{
    achi_sim_over = end_process;
    if (!achi_sim_active())
        return;
    achi_sim_hello(0, NULL, NULL);
    achi_thread_watch();
}

void achi_events_add(struct achi_events *e, achi_event_t event)
{
    unsigned i;

    for (i = 0; i < e->n; i++)
        if (e->at[i] == event)
            return;
    if (e->n <= ACHI_SIM_EVENTS)
        e->at[e->n++] = event;
}

void achi_guard(void)
{
    achi_sim_critical();
    achi_sim_hold();
}

void achi_unguard(void)
{
    achi_sim_release();
    achi_sim_uncritical();
}

bool achi_block(int64_t until, const struct achi_events *e, achi_look_fun *look, void *cx)
{
    bool timed = false, found;

    achi_local_post_pending();
    for (;;) {
        uint64_t since = achi_sim_posts();

        achi_sim_act();
        found = look(cx);
        if (found || timed)
            break;
        achi_sim_wait(until, e->at, e->n, since, &timed);
        pthread_testcancel();
    }
    achi_sim_cycle();
    return found;
}

void achi_sleep_until(int64_t time)
{
    bool timed;

    achi_local_post_pending();
    do
        achi_sim_wait(time, NULL, 0, achi_sim_posts(), &timed);
    while (!timed);
    achi_sim_cycle();
    pthread_testcancel();
}

achi_event_t achi_local_event(const void *address)
{
    return achi_event_address(achi_sim_pid(), address);
}

static unsigned *counter(achi_event_t event)
{
    return &waiters[event % WAITERS];
}

void achi_local_enter(achi_event_t event)
{
    __atomic_fetch_add(counter(event), 1, __ATOMIC_SEQ_CST);
}

void achi_local_leave(achi_event_t event)
{
    __atomic_fetch_sub(counter(event), 1, __ATOMIC_SEQ_CST);
}

void achi_local_post(achi_event_t event)
{
    if (!achi_sim_free() || !__atomic_load_n(counter(event), __ATOMIC_SEQ_CST))
        return;
    achi_sim_act();
    achi_sim_post(event);
}
