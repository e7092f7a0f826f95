/* SPDX-License-Identifier: BSD-3-Clause */
/* common.c - waiting, events, and the beginning and end of the library */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "exec.h"
#include "pending.h"
#include "trap.h"

#define ERRNO_MAX 4095
#define WAITERS 4096
#define STATUS_TERMINATED 143

static unsigned waiters[WAITERS];
bool achi_shared_seen;

static void end_process(void)
{
    achi_sim_exit();
    achi_signals_unblock(); /* the program may have a handler */
    kill(getpid(), SIGTERM);
    _exit(STATUS_TERMINATED);
}

__attribute__((constructor)) static void begin(void)
{
    achi_sim_over = end_process;
    if (!achi_sim_active())
        return;
    achi_exec_begin();
    achi_trap_begin();
    achi_signals_begin();
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

long achi_result(long r)
{
    if (r >= 0 || r < -ERRNO_MAX)
        return r;
    errno = (int)-r;
    return -1;
}

bool achi_wait(int64_t until, struct achi_events *e, uint64_t since)
{
    struct achi_events all = {0};
    achi_event_t signals = achi_signal_event();
    sigset_t mask;
    bool timed, blocked;
    unsigned i;

    achi_events_add(&all, signals);
    for (i = 0; i < e->n; i++)
        achi_events_add(&all, e->at[i]);
    achi_local_enter(signals);
    blocked = achi_signals_block(&mask);
    achi_sim_wait(until, all.at, all.n, since, &timed);
    achi_local_leave(signals);
    e->interrupted |= achi_signals_deliver(e->signals, blocked ? &mask : NULL);
    return timed;
}

bool achi_block(int64_t until, struct achi_events *e, achi_look_fun *look, void *cx)
{
    bool timed = false, found;

    achi_local_post_pending();
    for (;;) {
        uint64_t since = achi_sim_posts();

        achi_sim_act();
        found = look(cx);
        if (found || timed || e->interrupted)
            break;
        timed = achi_wait(until, e, since);
        pthread_testcancel();
    }
    e->interrupted &= !found;
    achi_sim_cycle();
    return found;
}

bool achi_sleep_until(int64_t time)
{
    struct achi_events e = {.signals = ACHI_ENDS};
    bool timed;

    achi_local_post_pending();
    do {
        timed = achi_wait(time, &e, achi_sim_posts());
        pthread_testcancel();
    } while (!timed && !e.interrupted);
    achi_sim_cycle();
    return !e.interrupted;
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

bool achi_local_awaited(achi_event_t event)
{
    return __atomic_load_n(counter(event), __ATOMIC_SEQ_CST) != 0;
}

void achi_local_post(achi_event_t event)
{
    if (!achi_sim_free() || !achi_local_awaited(event))
        return;
    achi_sim_act();
    achi_sim_post(event);
}
